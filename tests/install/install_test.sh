#!/usr/bin/env bash
# install_test.sh CMAKE BUILD_FOLDER CXX PKG_CONFIG: see CMakeLists.txt.
set -euo pipefail

cmake=$1 build=$2 cxx=$3 pkg_config=$4
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
unset DESTDIR

step() { printf '== %s\n' "$*"; }

# Moved after the installation: nothing may remember where it was put.
step "install"
"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
prefix=$work/moved
mv "$work/first" "$prefix"
"$prefix/bin/quadrille" --version

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
