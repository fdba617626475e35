"""PETSc's example programs: where they are, and with which options their authors run them (the `/*TEST` blocks in the sources)."""
import importlib
import pathlib
import re
import shlex
import sys
from typing import NamedTuple

FOLDERS = ["ksp", "snes", "ts", "dm", "tao", "mat"]
# A matrix of a DM, or one whose type comes from the options.
TAKES_TYPES = re.compile(r"\bDM(DA|Stag|Plex|Create|Network|Composite)\w*\(|\bMatSetFromOptions\(|\bMatSetType\(")
PREFIX = re.compile(r'\b(?:Mat|DM)(?:Set|Append)OptionsPrefix\([^;"]*"(\w+)"\)')
LOOP = re.compile(r"\{\{(.*?)\}(?:\s*(?:shared|separate)[ _]output)?\}")


class Entry(NamedTuple):
    program: str  # ksp/ksp/tutorials/ex45
    name: str  # of the test, as in PETSc's own suite
    options: str
    ranks: int  # of the authors
    filter: str  # a shell command through which the output goes
    files: tuple  # that must lie in the working folder


def find_sources(prefix, version):
    """The folder src of the examples; None where they are not installed."""
    short = ".".join(version.split(".")[:2])
    places = [f"{prefix}/share/petsc/examples/src", f"{prefix}/src", f"/usr/share/petsc/{short}/share/petsc/examples/src"]
    for place in map(pathlib.Path, places):
        if (place / "ksp/ksp/tutorials/ex45.c").exists():
            return place
    print("the sources of PETSc's examples are not installed; looked in " + ", ".join(places))
    return None


def configuration(prefix):
    """PETSc's configuration, as name -> value."""
    found = {}
    for line in pathlib.Path(prefix, "include/petscconf.h").read_text().splitlines():
        words = line.split(None, 2)
        if len(words) > 1 and words[0] == "#define":
            found[words[1]] = words[2] if len(words) > 2 else ""
    return found


def holds(requirement, conf):
    if requirement.startswith("!"):
        return not holds(requirement[1:], conf)
    defined = re.match(r"defined\((\w+)\)", requirement, re.IGNORECASE)
    if defined:
        return defined[1] in conf
    if requirement in ("single", "double", "__float128", "__fp16"):
        return "PETSC_USE_REAL_" + requirement.upper() in conf
    if requirement in ("int32", "int64"):
        return conf.get("PETSC_SIZEOF_INT") == str(int(requirement[3:]) // 8)
    if requirement in ("long32", "long64"):
        return conf.get("PETSC_SIZEOF_LONG") == str(int(requirement[4:]) // 8)
    use = "USE" if requirement in ("complex", "debug") else "HAVE"
    return conf.get(f"PETSC_{use}_{requirement.upper()}") is not None  # never for datafilespath and x without a screen


def programs(sources, kinds):
    """The C programs in the folders called one of `kinds` whose matrices may take a type from the options."""
    for folder in FOLDERS:
        for path in sorted((sources / folder).rglob("*.c")):
            name, text = path.relative_to(sources).with_suffix(""), path.read_text(errors="replace")
            if set(kinds) & set(name.parts) and re.search(r"\bmain\(", text) and TAKES_TYPES.search(text):
                yield str(name)


def loops(options):
    """`-bs {{1 2 3}} -ksp_type {{cg gmres}}`: every value of every loop in at least one of the results."""
    values = [shlex.split(found) or [""] for found in LOOP.findall(options)]
    for i in range(max(map(len, values), default=1)):
        following = iter(values)
        yield " ".join(LOOP.sub(lambda _: shlex.quote((v := next(following))[i % len(v)]) + " ", options).split())


def merged(test, inner):
    both = dict(test)
    for key, value in inner.items():
        both[key] = f"{test[key]} {value}" if key in ("args", "requires") and key in test else value
    return both


class Parser:
    """Reads the `/*TEST` blocks by PETSc's own parser, which stands beside the sources."""

    def __init__(self, sources, prefix):
        sys.dont_write_bytecode = True  # not into PETSc's folders
        sys.path.insert(0, str(sources.parent / "config"))
        self.parse = importlib.import_module("testparse").parseTestFile
        self.sources, self.prefix, self.conf = sources, prefix, configuration(prefix)

    def tests(self, program):
        path = self.sources / f"{program}.c"
        found = self.parse(str(path), 0)[path.name]
        self.depends = str(found.get("depends", "")).split()
        blocks = {name: test for name, test in found.items() if isinstance(test, dict)}
        if not blocks and "TODO" not in found:
            blocks = {path.stem: {"requires": str(found.get("requires", ""))}}
        for name, test in blocks.items():
            inner = [test[key] for key in test.get("subtests", [])]
            for i, each in enumerate(inner or [{}]):
                yield f"{name}+{i}" if inner else name, merged(test, each)

    def entries(self, program):
        """Those whose requirements this PETSC fulfils, without repetitions; files that belong to the program."""
        seen, found = set(), []
        try:
            tests = list(self.tests(program))
        except Exception as error:  # PETSc's parser raises all kinds for what it cannot read
            print(f"{program}: PETSc's own parser does not read its tests: {error}")
            return [], []
        for name, test in tests:
            if {"SKIP", "TODO", "command"} & set(test) or not all(
                    holds(each, self.conf) for each in str(test.get("requires", "")).split()):
                continue
            ranks = int((LOOP.findall(str(test.get("nsize", "1"))) or [str(test.get("nsize", "1"))])[0].split()[0])
            text = re.sub(r"\$\{?w?PETSC_DIR\}?", str(self.prefix), test.get("args", ""))
            text = text.replace("@PETSC_INDEX_SIZE@", "32").replace("@PETSC_SCALAR_SIZE@", "64")  # what the type is built for
            for i, options in enumerate(loops(text)):
                if options not in seen:
                    seen.add(options)
                    found.append(Entry(program, name.removeprefix("run") + (f".{i}" if i else ""), options, ranks,
                                       test.get("filter", ""), tuple(test.get("localrunfiles", "").split())))
        return found, self.depends

    def prefixes(self, program):
        return sorted(set(PREFIX.findall((self.sources / f"{program}.c").read_text(errors="replace"))))
