# Shared by run-demo, run-tests and .ci/run, which source it after they have set `root` to the top of the
# checkout: packages, compiler, CUDA, configuration and build. Nothing here runs by itself.
# shellcheck shell=bash disable=SC2034

: "${root:?set root to the top of the checkout first}"

build_packages=(g++ cmake ninja-build pkg-config libpetsc-real-dev libhdf5-openmpi-dev libopenmpi-dev
  libboost-program-options-dev zlib1g-dev libsuitesparse-dev nlohmann-json3-dev
  libmuparser-dev)
demo_packages=(python3-h5py python3-matplotlib python3-numpy)
test_packages=(libgtest-dev libgmock-dev libpetsc3.18-dev-examples python3-venv python3-h5py python3-matplotlib
  python3-numpy python3-xarray python3-h5netcdf clang libclang-rt-14-dev clang-format dpkg-dev file doxygen)

vtk_version=9.7.2
meshio_version=5.3.5

say() { printf '%s\n' "$*"; }

# One sentence and the end; 3 means that the machine could not do it.
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 3
}

# The system's tools come first, whatever else (pyenv, conda, another MPI) stands earlier on PATH: CMake
# looks beside the programs on PATH for libraries too. No program started from here reads standard input,
# which may be closed.
use_system_tools() {
  PATH=/usr/sbin:/usr/bin:/sbin:/bin${PATH:+:$PATH}
  export PATH CC=/usr/bin/gcc CXX=/usr/bin/g++
  unset PYTHONHOME PYTHONPATH
  export PYTHONNOUSERSITE=1 MPLBACKEND=Agg
  exec </dev/null
}

# Open MPI inside containers and as root: allowed, on this host only, silent about fabrics it does not find,
# and willing to start more ranks than there are cores.
use_quiet_mpi() {
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_plm=isolated OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_osc=^ucx
  export OMPI_MCA_btl_vader_single_copy_mechanism=none
  export OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_mca_base_component_show_load_errors=0
  export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
  # Programs that end remove the folder that all of a user's share once it is empty: perhaps right after
  # another one that starts has made it, which then fails. What stands in it keeps it.
  local name
  name=$(uname -n)
  (umask 077 && mkdir -p "${TMPDIR:-/tmp}/ompi.${name%%.*}.$EUID/kept") 2>/dev/null || true
}

# The names among the arguments that dpkg does not have.
missing_packages() {
  local package status
  for package; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=
    [[ $status == installed* ]] || printf '%s\n' "$package"
  done
}

# Installs what is missing; does not touch apt when nothing is. QUADRILLE_NO_SETUP=1 skips the check, for
# machines where the same things come from elsewhere.
require_packages() {
  [[ ${QUADRILLE_NO_SETUP:-0} == 1 ]] && return
  if ! type -P dpkg-query apt-get >/dev/null; then
    die "this is no Debian or Ubuntu, so install what these Debian 12 packages hold and set QUADRILLE_NO_SETUP=1: $*"
  fi
  local missing as_root=() log=$root/build/setup.log
  mapfile -t missing < <(missing_packages "$@" | sort -u)
  [[ ${#missing[@]} -gt 0 ]] || return 0

  if [[ $EUID -ne 0 ]]; then
    if ! type -P sudo >/dev/null || ! { sudo -n true 2>/dev/null || { : >/dev/tty; } 2>/dev/null; }; then
      die "packages are missing and installing them needs root or sudo; as root: apt-get install ${missing[*]}"
    fi
    as_root=(sudo)
  fi
  say "installing ${missing[*]} (log: $log)"
  mkdir -p "$root/build" || die "cannot write to $root"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300
    -o Acquire::Retries=2 -o Dpkg::Use-Pty=0)
  # A package list that could not be refreshed is no failure yet: another source may still have the packages.
  "${apt[@]}" update >"$log" 2>&1 || true
  if ! "${apt[@]}" install --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    die "apt-get could not install ${missing[*]} (no network, or not Debian 12?); its messages are in $log"
  fi
  mapfile -t missing < <(missing_packages "${missing[@]}")
  [[ ${#missing[@]} -eq 0 ]] || die "apt-get ran, but these packages are still missing: ${missing[*]} (see $log)"
}

# Sets `vtk_python` to a Python with meshio and a VTK that reads XDMF: Debian's python3-vtk9 is built without
# that reader, so the wheel goes into an environment of its own. Empty, with one line saying so, where the
# wheels cannot be had.
find_vtk_python() {
  local place=$root/build/vtk-python
  local complete=$place/complete-$vtk_version-$meshio_version
  vtk_python=$place/bin/python
  [[ ! -e $complete ]] || return 0
  say "installing VTK $vtk_version and meshio $meshio_version for the tests that read XDMF"
  mkdir -p "$root/build"
  if /usr/bin/python3 -m venv --clear --system-site-packages "$place" >"$root/build/vtk.log" 2>&1 &&
    "$vtk_python" -m pip install -q "vtk==$vtk_version" "meshio==$meshio_version" >>"$root/build/vtk.log" 2>&1; then
    touch "$complete"
  else
    say "VTK and meshio could not be installed (no PyPI?), so the tests that read XDMF are skipped; see build/vtk.log"
    vtk_python=
  fi
}

# Sets `nvcc` to the CUDA compiler to use, empty where there is none that knows C++20.
find_nvcc() {
  local candidate release
  nvcc=
  for candidate in "${CUDACXX:-}" "$(type -P nvcc || true)" /usr/local/cuda/bin/nvcc; do
    [[ -n $candidate && -x $candidate ]] || continue
    release=$("$candidate" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\)\..*/\1/p') || true
    if [[ ${release:-0} -ge 12 ]]; then
      nvcc=$candidate
      return
    fi
  done
}

# configure PRESET [cmake options]: (re)configures the preset's build folder.
configure() {
  local preset=$1 folder=$root/build options=() launcher
  shift
  [[ $preset == default ]] || folder=$root/build-$preset
  local cache=$folder/CMakeCache.txt

  # A folder that was configured for another generator or another place is started afresh.
  if [[ -e $cache ]] && ! { grep -qx 'CMAKE_GENERATOR:INTERNAL=Ninja' "$cache" &&
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; }; then
    options+=(--fresh)
  fi
  launcher=$(type -P ccache || true)
  options+=("-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher" "-DCMAKE_CUDA_COMPILER_LAUNCHER=$launcher")
  if [[ $preset != sanitize && ${QUADRILLE_CUDA:-} == OFF ]]; then
    say "QUADRILLE_CUDA=OFF: the GPU kernels are left out"
    options+=(-DQUADRILLE_CUDA=OFF)
  elif [[ $preset != sanitize ]]; then
    find_nvcc
    if [[ -n $nvcc ]]; then
      say "the GPU kernels are compiled by $nvcc"
      export CUDACXX=$nvcc CUDAHOSTCXX=/usr/bin/g++
      options+=(-DQUADRILLE_CUDA=ON)
      if [[ -e $cache ]] && grep -q '^CMAKE_CUDA_COMPILER:.*NOTFOUND' "$cache"; then
        options+=(-UCMAKE_CUDA_COMPILER)
      fi
    else
      say "no nvcc of CUDA 12 or newer on PATH or in /usr/local/cuda/bin: the GPU kernels are left out"
      options+=(-DQUADRILLE_CUDA=OFF)
    fi
  fi
  cd "$root" || die "cannot enter $root"
  # shellcheck disable=SC2206 # words are options
  options+=(${QUADRILLE_CMAKE_OPTIONS:-})
  cmake --preset "$preset" --log-level=WARNING "${options[@]}" "$@" >/dev/null ||
    die "CMake could not configure $folder; its messages are above"
}

# build PRESET [cmake --build options]
build() {
  local preset=$1
  shift
  (cd "$root" && cmake --build --preset "$preset" --parallel "$(nproc)" "$@") ||
    die "the build failed; the compiler's messages are above"
}
