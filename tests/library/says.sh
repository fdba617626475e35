#!/usr/bin/env bash
# says.sh PATTERN COMMAND...: the command ends well, and what it prints, as one line, has the pattern (grep
# -E).
set -u
printed=$("${@:2}")
status=$?
printf '%s\n' "$printed"
[[ $status == 0 ]] || exit $status
tr '\n' ' ' <<<"$printed" | grep -qE -- "$1" || { printf 'it does not say: %s\n' "$1"; exit 1; }
