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
