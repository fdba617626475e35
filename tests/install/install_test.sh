#!/usr/bin/env bash
# install_test.sh CMAKE BUILD_FOLDER CXX PKG_CONFIG: see CMakeLists.txt.
set -euo pipefail

cmake=$1 build=$2 cxx=$3 pkg_config=$4
source "$(dirname -- "${BASH_SOURCE[0]}")/consume.sh"
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
unset DESTDIR

# Moved after the installation: nothing may remember where it was put.
step "install"
"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
mv "$work/first" "$work/moved"
"$work/moved/bin/quadrille" --version
consume "$work/moved" kernels
consume "$work/moved" petsc

# The programs of examples, by find_package; and the README's, which is one of them, by pkg-config.
step "the examples"
"$cmake" -S "$here/../../examples" -B "$work/examples" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$work/moved"
"$cmake" --build "$work/examples"
(cd "$work" && examples/steady -n 31 && examples/species -n 8 -steps 2 && examples/gray_scott -n 16 -until 10 && [[ -s species.h5 && -s species.xdmf ]])
(cd "$work" && examples/bratu && examples/ranks && examples/ranks -read && examples/shell && examples/by_hand)

step "the README's program"
sed -n '/^```cpp$/,/^```$/{/^```/!p}' "$here/../../README.md" >"$work/readme.cpp"
read -ra flags <<<"$(PKG_CONFIG_PATH=$(dirname -- "$(find "$work/moved" -name quadrille.pc)") "$pkg_config" --cflags --libs --static quadrille)"
"$cxx" -std=c++20 -O2 -o "$work/readme" "$work/readme.cpp" "${flags[@]}"
(cd "$work" && ./readme | grep 'iterations')
# What nobody catches ends it with its sentence and 1, without a word of the system's.
status=0
(cd "$work" && ./readme -ksp_max_it 1 -ksp_rtol 1e-14) >"$work/uncaught" 2>&1 || status=$?
[[ $status == 1 && $(cat "$work/uncaught") == "readme: the solve did not converge: "*"after 1 iterations"* ]] ||
  { cat "$work/uncaught"; fail "exit status $status"; }
