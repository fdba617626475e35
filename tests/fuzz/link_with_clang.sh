#!/bin/sh
# link_with_clang.sh CLANG GXX ARGUMENTS...: a link line meant for g++, run by clang++.
clang=$1
shift 2
exec "$clang" "$@"
