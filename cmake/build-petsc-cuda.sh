#!/usr/bin/env bash
# Builds a PETSc with CUDA, for vectors and solvers in GPU memory, once, into a cache folder. Debian's PETSc
# has none.
#
#   cmake/build-petsc-cuda.sh [FOLDER]      default: ~/.cache/quadrille/petsc-VERSION-cuda
#
# It stands on the CUDA toolkit (CUDACXX, PATH or /usr/local/cuda) and on Debian's Open MPI, OpenBLAS and
# HDF5, and takes 10 to 20 minutes on 2 cores. CUDA_ARCH (default 90, Hopper) is the architecture of the GPU.
# Afterwards: PETSC_DIR=FOLDER cmake ...
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=cmake/setup.sh
source "$root/cmake/setup.sh"

petsc_version=3.25.6
petsc_sha256=00ac91c7ae96eae6a39d7380c7e869c1c7ddbc0c64a23a0b5fd3442227c7cdb9
nvml_version=13.0.87  # NVIDIA's nvml.h and a library to link with, for toolkits that come without

place=$(realpath -m "${1:-${XDG_CACHE_HOME:-$HOME/.cache}/quadrille/petsc-$petsc_version-cuda}")
work=$place.build
if [[ -e $place/complete ]]; then
  say "PETSc $petsc_version with CUDA is in $place"
  exit 0
fi
use_system_tools
use_quiet_mpi
require_packages g++ make python3 python3-pip libopenmpi-dev openmpi-bin libopenblas-dev libhdf5-openmpi-dev
find_nvcc
[[ -n $nvcc ]] || die "no nvcc of CUDA 12 or newer on PATH or in /usr/local/cuda/bin; set CUDACXX"
cuda=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
mkdir -p "$work" "$place" || die "cannot write to $place"

say "fetching PETSc $petsc_version"
archive=$work/petsc-$petsc_version.tar.gz
# pip takes nothing but the source with this hash; its build steps stay with the system's setuptools and
# compile nothing.
printf 'petsc==%s --hash=sha256:%s\n' "$petsc_version" "$petsc_sha256" >"$work/requirements.txt"
sha256sum --status -c <<<"$petsc_sha256  $archive" 2>/dev/null ||
  /usr/bin/python3 -m pip download -q --no-deps --no-binary petsc --no-build-isolation --require-hashes \
    -r "$work/requirements.txt" -d "$work" || die "pip could not fetch petsc $petsc_version with the pinned hash"
rm -rf "$work/petsc-$petsc_version"
tar -xzf "$archive" -C "$work"

# PETSc asks for nvml.h and links with the driver's libnvidia-ml; where the toolkit lacks the one, NVIDIA's
# package has it, and where it lacks the other, a stand-in whose functions fail with
# NVML_ERROR_LIBRARY_NOT_FOUND is linked in its place.
stubs=$place/stubs
mkdir -p "$stubs"
nvml_include=$cuda/include
if [[ ! -e $cuda/include/nvml.h ]]; then
  /usr/bin/python3 -m pip install -q --root-user-action=ignore --no-deps --upgrade --target "$work/nvml" \
    "nvidia-nvml-dev==$nvml_version" ||
    die "$cuda has no nvml.h, and nvidia-nvml-dev $nvml_version could not be had from PyPI"
  cp "$(find "$work/nvml" -name nvml.h -print -quit)" "$stubs/"
  nvml_include=$stubs
fi
nvml_stub=$(find -L "$cuda" -path '*stubs*' -name libnvidia-ml.so -print -quit)
if [[ -n $nvml_stub ]]; then
  cp "$nvml_stub" "$stubs/"
else
  grep -o '\bnvml[A-Z][A-Za-z0-9_]*(' "$nvml_include/nvml.h" | tr -d '(' | sort -u |
    sed 's/.*/int &(void) { return 12; }/' >"$work/nvml.c"
  gcc -shared -fPIC -Wl,-soname,libnvidia-ml.so.1 -o "$stubs/libnvidia-ml.so" "$work/nvml.c"
fi
cuda_stub=$(find -L "$cuda" -path '*stubs*' -name libcuda.so -print -quit)
[[ -n $cuda_stub ]] || die "$cuda has no libcuda.so in a folder stubs, which PETSc is linked with"
cp -L "$cuda_stub" "$stubs/libcuda.so"
# Programs that PETSc's configuration runs need the driver's libraries by their run-time names. Those names
# stand in a folder of their own, for PETSc remembers the stubs' folder, and must find the driver's own
# libraries where there is one.
no_driver=$place/no-driver
mkdir -p "$no_driver"
ln -sf ../stubs/libnvidia-ml.so "$no_driver/libnvidia-ml.so.1"
ln -sf ../stubs/libcuda.so "$no_driver/libcuda.so.1"
known=$(/sbin/ldconfig -p)
for library in libcuda.so.1 libnvidia-ml.so.1; do
  if [[ $known != *"$library"* ]]; then
    export LD_LIBRARY_PATH=$no_driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    say "this machine has no $library: set LD_LIBRARY_PATH=$no_driver to run anything with this PETSc here"
  fi
done

say "configuring and building (log: $work/build.log)"
cd "$work/petsc-$petsc_version"
unset PETSC_DIR PETSC_ARCH
libraries=/usr/lib/$(gcc -print-multiarch)
{
  /usr/bin/python3 ./configure --prefix="$place" PETSC_ARCH=cuda --with-debugging=0 --with-shared-libraries=1 \
    --with-fc=0 --with-x=0 --with-ssl=0 --COPTFLAGS=-O3 --CXXOPTFLAGS=-O3 --CUDAOPTFLAGS=-O3 \
    --with-cc=mpicc --with-cxx=mpicxx --with-mpiexec=mpiexec --with-blaslapack-lib=-lopenblas \
    --with-hdf5-include=/usr/include/hdf5/openmpi \
    --with-hdf5-lib="-L$libraries/hdf5/openmpi -lhdf5_hl -lhdf5" \
    --with-cuda=1 --with-cudac="$nvcc" --with-cuda-arch="${CUDA_ARCH:-90}" \
    --with-cuda-include="[$cuda/include,$nvml_include]" \
    --with-cuda-lib="-L$cuda/lib64 -L$stubs -lcudart -lcufft -lcublas -lcusparse -lcusolver -lcurand -lcuda -lnvidia-ml"
  make PETSC_DIR="$PWD" PETSC_ARCH=cuda MAKE_NP="$(nproc)" MAKE_LOAD=1000 all
  make PETSC_DIR="$PWD" PETSC_ARCH=cuda install
} >"$work/build.log" 2>&1 || die "PETSc could not be built; see the end of $work/build.log"
touch "$place/complete"
rm -rf "$work"
say "PETSc $petsc_version with CUDA is in $place; use it by PETSC_DIR=$place"
