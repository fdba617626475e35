#!/usr/bin/env bash
# reference_test.sh ROOT OUTPUT: Doxygen has nothing to complain of in docs/Doxyfile, and the headers that the
# public ones pass on are all in it.
set -euo pipefail

type -P doxygen >/dev/null || { echo "doxygen is not installed"; exit 77; }
cd -- "$1"
inputs=" $(sed -n '/^INPUT = /,/[^\\]$/p' docs/Doxyfile | tr '\\\n' '  ') "
for header in $(sed -nE 's,^#include "((grid|formats|assembly|kernels)/.*)",\1,p' drivers/quadrille/{products,multigrid,petsc}.hpp \
  drivers/quadrille/device_fill.cuh formats/all.hpp); do
  [[ $inputs == *" $header "* ]] || { printf '%s is public, but not in docs/Doxyfile\n' "$header"; exit 1; }
done
for header in $inputs; do
  [[ $header == INPUT || $header == = || -e $header ]] || { printf '%s is in docs/Doxyfile, but not there\n' "$header"; exit 1; }
done
mkdir -p -- "$2"
{ cat docs/Doxyfile; printf 'OUTPUT_DIRECTORY = %s\n' "$2"; } | doxygen -
[[ -s $2/html/classquadrille_1_1GridOperator.html ]]
