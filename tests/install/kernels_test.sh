#!/usr/bin/env bash
# kernels_test.sh CMAKE SOURCES BUILD_FOLDER CXX PKG_CONFIG: the kernels alone, from a build with
# QUADRILLE_PETSC=OFF that has the settings of BUILD_FOLDER. Objects that both make by the same command are
# copied from there; any other one is compiled, and named.
set -euo pipefail

cmake=$1 sources=$2 build=$3 cxx=$4 pkg_config=$5
source "$(dirname -- "${BASH_SOURCE[0]}")/consume.sh"
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
unset DESTDIR PETSC_DIR PETSC_ARCH CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CUDA_COMPILER_LAUNCHER

step "configure without PETSc"
same='CMAKE_(BUILD_TYPE|CXX_FLAGS|CXX_FLAGS_[A-Z]*|CUDA_FLAGS|CUDA_FLAGS_[A-Z]*|CUDA_ARCHITECTURES)|QUADRILLE_(CPU_ARCH|CUDA)'
mapfile -t settings < <(grep -E "^($same):" "$build/CMakeCache.txt" | sed 's/^/-D/')
launcher="$here/same_object.py;$build"
"$cmake" -S "$sources" -B "$work/own" -G Ninja --log-level=WARNING -DCMAKE_CXX_COMPILER="$cxx" "${settings[@]}" \
  -DQUADRILLE_PETSC=OFF -DQUADRILLE_TESTS=OFF "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher" "-DCMAKE_CUDA_COMPILER_LAUNCHER=$launcher"
found=$(grep -iE 'petsc|mpi_|hdf5|boost|nlohmann|muparser' "$work/own/CMakeCache.txt" | grep -vE '^(//|QUADRILLE_PETSC:|CMAKE_)' || true)
[[ -z $found ]] || fail "in the cache of a build without PETSc: $found"

step "build"
"$cmake" --build "$work/own" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
grep '^compiled:' "$work/build.log" || true  # what the other build makes in another way

step "install"
"$cmake" --install "$work/own" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
mv "$work/first" "$work/moved"
found=$(find "$work/moved" -iname '*petsc*')
[[ -z $found ]] || fail "installed: $found"
found=$(grep -rliE '#include *[<"](quadrille/internal/kernels/petsc|petsc|mpi|hdf5|boost)' "$work/moved/include" || true)
[[ -z $found ]] || fail "these headers need more than the kernels: $found"
consume "$work/moved" kernels

step "the component petsc is refused"
if "$cmake" -S "$here/consumer" -B "$work/petsc" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$work/moved" \
  -DCOMPONENT=petsc >"$work/refused.log" 2>&1; then
  fail "find_package found the component petsc in a package without it"
fi
grep -q 'petsc' "$work/refused.log" || fail "$(cat "$work/refused.log")"
