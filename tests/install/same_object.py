#!/usr/bin/env python3
"""same_object.py BUILD_FOLDER COMPILER ARGUMENTS...: a compiler launcher that copies an object of BUILD_FOLDER where that folder made it
by the same command, to the letter, and else runs the command. What is compiled alike need not be compiled twice."""
import json
import os
import shlex
import shutil
import subprocess
import sys


def plain(words):
    """The command without what only writes dependencies, or is silent about a warning."""
    kept, words = [], list(words)
    while words:
        word = words.pop(0)
        if word in ("-MT", "-MF"):
            words.pop(0)
        elif word != "-MD" and not word.startswith("-Wno-"):
            kept.append(word)
    return kept


def made_alike(folder, command):
    with open(os.path.join(folder, "compile_commands.json")) as file:
        for entry in json.load(file):
            words = shlex.split(entry["command"])
            while words and words[0] != command[0]:  # its own launcher
                words.pop(0)
            if plain(words) == command:
                return os.path.join(folder, command[command.index("-o") + 1])
    return None


build, *words = sys.argv[1:]
command = plain(words)
made = made_alike(build, command) if "-o" in command else None
if made is None or not os.path.exists(made):
    print("compiled:", shlex.join(command), flush=True)
    sys.exit(subprocess.call(words))
shutil.copyfile(made, command[command.index("-o") + 1])
if "-MF" in words:
    with open(words[words.index("-MF") + 1], "w") as file:
        file.write(command[command.index("-o") + 1] + ":\n")
