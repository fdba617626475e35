#!/usr/bin/env bash
# Remakes the pictures of docs/gallery.md by the commands that stand there, but for those of a file that it
# does not bring. Run in the repository's root, or a folder with build/quadrille: the pictures are then in
# demo/.
set -euo pipefail

page=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../gallery.md
bash -euxc "$(sed -n '/norne/d; s/^    //p' "$page")"
