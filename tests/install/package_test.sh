#!/usr/bin/env bash
# package_test.sh CMAKE CPACK BUILD_FOLDER CXX PKG_CONFIG VERSION: see CMakeLists.txt.
set -euo pipefail

cmake=$1 cpack=$2 build=$3 cxx=$4 pkg_config=$5 version=$6
source "$(dirname -- "${BASH_SOURCE[0]}")/consume.sh"
headers_known=yes  # install_test.sh compiles each by itself
if ! type -P dpkg-deb dpkg-shlibdeps file >/dev/null; then
  printf 'dpkg-deb, dpkg-shlibdeps or file is not installed\n'
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
unset DESTDIR

# field PACKAGE NAME PATTERN...: each pattern is in that field of the package's control file.
field() {
  local value pattern
  value=$(dpkg-deb -f "${!1}" "$2")
  for pattern in "${@:3}"; do
    [[ $value =~ $pattern ]] || fail "the $1 package's field $2 lacks $pattern: $value"
  done
}

step "cpack"
umask 077
# gzip, for xz takes most of the time that packing takes.
(cd "$build" && "$cpack" -G DEB -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -B "$work/made") >"$work/cpack.log" 2>&1 ||
  { cat "$work/cpack.log"; exit 1; }
architecture=$(dpkg --print-architecture)
program=$work/made/quadrille_${version}_$architecture.deb
development=$work/made/libquadrille-dev_${version}_$architecture.deb

step "fields and files"
field program Package '^quadrille$'
field program Version "^$version\$"
field program Depends libpetsc libopenmpi libhdf5-openmpi libboost-program-options libmuparser libgomp
field program Maintainer .
field development Package '^libquadrille-dev$'
field development Depends '(g\+\+|clang)' 'libpetsc.*-dev' libopenmpi-dev zlib1g-dev pkg-?conf
dpkg-deb --fsys-tarfile "$program" | tar -tv >"$work/files"
dpkg-deb --fsys-tarfile "$development" | tar -tv >>"$work/files"
for name in bin/quadrille 'lib[^ ]*/libquadrille_petsc.so' share/quadrille/plot_bench.py share/quadrille/plot_field.py share/quadrille/plot_solve.py share/quadrille/plot_common.py share/doc/quadrille/copyright \
  'lib[^ ]*/QuadrilleConfig.cmake' 'lib[^ ]*/quadrille.pc' 'lib[^ ]*/quadrille-kernels.pc' share/doc/libquadrille-dev/copyright; do
  grep -q " ./usr/$name\$" "$work/files" || fail "usr/$name is in no package"
done
! grep -v '^[-d]rw.r[-w]\?[-x]r.[-x] root/root' "$work/files" || fail "not for everybody to read, or not root's"

step "unpack"
umask 022
dpkg-deb -x "$program" "$work/system"
dpkg-deb -x "$development" "$work/system"
"$work/system/usr/bin/quadrille" --version
consume "$work/system/usr" petsc
