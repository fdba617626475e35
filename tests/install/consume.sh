# For the tests of this folder: `consume PREFIX kernels` (or petsc) builds and runs consumer/<component>.cpp
# against that component of the Quadrille there, with find_package and with pkg-config. They set cmake, cxx,
# pkg_config and work first, and headers_known where another test compiles the same headers.
# shellcheck shell=bash disable=SC2154

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")

step() { printf '== %s\n' "$*"; }
fail() { printf '%s\n' "$*"; exit 1; }

consume() {
  local prefix=$1 component=$2 package=quadrille pc flags program
  [[ $component == petsc ]] || package=quadrille-$component
  public_headers "$prefix/include/quadrille"
  step "find_package, $component"
  "$cmake" -S "$here/consumer" -B "$work/$component" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$prefix" -DCOMPONENT="$component"
  "$cmake" --build "$work/$component"

  step "pkg-config, $component"
  pc=$(dirname -- "$(find "$prefix" -name "$package.pc")")
  read -ra flags <<<"$(PKG_CONFIG_PATH=$pc "$pkg_config" --cflags --libs --static "$package")"
  "$cxx" -std=c++20 -o "$work/$component.pkg-config" -I "$here/consumer/own" "$here/consumer/$component.cpp" "${flags[@]}"
  read -ra flags <<<"$(PKG_CONFIG_PATH=$pc "$pkg_config" --cflags "$package")"
  [[ -n ${headers_known:-} ]] || alone "$prefix/include/quadrille" "${flags[@]}"

  for program in "$work/$component/consumer" "$work/$component.pkg-config"; do
    "$program"
    [[ $component == petsc ]] || stands_alone "$program"
  done
}

# Public headers stand in the folder, what they include in `internal`, and nothing looks for any of it but
# there.
public_headers() {
  local found
  step "headers, $1"
  found=$(find "$1" -mindepth 1 -type d ! -path "$1/internal*")$(grep -rn '#include "' "$1" || true)
  [[ -z $found ]] || fail "not only public headers, or found by accident: $found"
  found=$(sed -s '/^#pragma once/,$d' "$1"/*.hpp "$1"/*.cuh | grep -n 'Internal' || true)
  [[ -z $found ]] || fail "public and internal: $found"
}

# Each public header of a folder compiles by itself, where the flags are those of all of them.
alone() {
  local header
  for header in "$1"/*.hpp; do
    [[ $component == petsc || $header =~ /(products|multigrid).hpp$ ]] || continue
    printf '#include <quadrille/%s>\n' "${header##*/}" | "$cxx" -std=c++20 -fsyntax-only "${@:2}" -x c++ - ||
      fail "$header does not compile by itself"
  done
}

# Neither a library nor a symbol of PETSc, MPI, HDF5 or Boost comes with it.
stands_alone() {
  local found
  found=$(ldd "$1" | grep -iE 'petsc|mpi|hdf5|boost' || true)$(nm -C "$1" | grep -E ' (MPI_|Petsc|Mat[A-Z]|Vec[A-Z]|KSP|H5|boost::)' || true)
  [[ -z $found ]] || fail "$1 needs what the kernels do without: $found"
}
