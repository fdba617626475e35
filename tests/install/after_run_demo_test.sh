#!/usr/bin/env bash
# after_run_demo_test.sh NINJA BUILD_FOLDER RUN_DEMO: what ./run-demo builds is all that `cmake --install`
# takes from the build folder. Ninja's own graph is asked, so that nothing is built for it.
set -euo pipefail

ninja=$1 build=$2 run_demo=$3

read -ra targets <<<"$(sed -n 's/^build default --target //p' "$run_demo")"
made=$("$ninja" -C "$build" -t commands "${targets[@]}" | tr ' ' '\n')

# Those of CMake's packages and pkg-config are made when the folder is configured.
mapfile -t installed < <(grep -rho "\"$build/[^\"\$]*\"" --include=cmake_install.cmake "$build" | tr -d '"' |
  grep -v '\.\(cmake\|pc\)$' | sort -u)
[[ ${#installed[@]} -gt 3 ]] || { printf 'no installation found in %s\n' "$build"; exit 1; }

status=0
for file in "${installed[@]}"; do
  if ! grep -qxF -- "${file#"$build"/}" <<<"$made"; then
    printf 'installed, but not built by ./run-demo: %s\n' "$file"
    status=1
  fi
done
exit $status
