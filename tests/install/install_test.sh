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

# The program of the README, as it stands there.
step "the README's program"
sed -n '/^```cpp$/,/^```$/{/^```/!p}' "$here/../../README.md" >"$work/readme.cpp"
read -ra flags <<<"$(PKG_CONFIG_PATH=$(dirname -- "$(find "$work/moved" -name quadrille.pc)") "$pkg_config" --cflags --libs --static quadrille)"
"$cxx" -std=c++20 -o "$work/readme" "$work/readme.cpp" "${flags[@]}"
"$work/readme" | grep 'y = A x begins with'
