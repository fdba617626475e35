# For the tests of this folder: consume PREFIX builds and runs consumer/ against the Quadrille there, with
# find_package and with pkg-config. They set cmake, cxx, pkg_config and work first.
# shellcheck shell=bash disable=SC2154

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")

step() { printf '== %s\n' "$*"; }

consume() {
  local prefix=$1 pc flags
  step "find_package"
  "$cmake" -S "$here/consumer" -B "$work/build" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$prefix"
  "$cmake" --build "$work/build"
  "$work/build/consumer"

  step "pkg-config"
  pc=$(dirname -- "$(find "$prefix" -name quadrille.pc)")
  export PKG_CONFIG_PATH=$pc${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
  read -ra flags <<<"$("$pkg_config" --cflags --libs --static quadrille)"
  "$cxx" -std=c++20 -o "$work/consumer" "$here/consumer/consumer.cpp" "${flags[@]}"
  "$work/consumer"
}
