"""Whether two runs of a program print the same: numbers to a tolerance, counts exactly, the text between them too."""
import re

# Both take part in the norms only by rounding, which an iteration may amplify.
RELATIVE, ABSOLUTE = 1e-6, 1e-11
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


def last_place(text):
    """One unit of the last digit printed: 3.14 has 0.01, 2.50e-3 has 0.00001."""
    mantissa, _, exponent = text.lower().partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def same_number(x, y):
    if x == y:
        return True
    if "." not in x and "e" not in x.lower():  # a count
        return False
    a, b = float(x), float(y)
    size = max(abs(a), abs(b))
    # The sixth digit, PETSc's usual last, may round either way; 5. may stand for 5.00000.
    printed = min(1.001 * max(last_place(x), last_place(y)), 1.1e-5 * size)
    return abs(a - b) <= max(RELATIVE * size + ABSOLUTE, printed)


def same(a, b):
    """Of two lines. PETSc's short monitors write `< 1.e-11` for what is about zero."""
    a, b = a.replace("< ", ""), b.replace("< ", "")
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    return all(map(same_number, NUMBER.findall(a), NUMBER.findall(b)))


def deviation(a, b):
    """The largest relative difference of the numbers in two lines; 1 where the text between them differs."""
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return 1
    pairs = [(float(x), float(y)) for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)) if x != y]
    return max((abs(x - y) / max(abs(x), abs(y)) for x, y in pairs if x != y), default=0)


def first_difference(expected, seen):
    """Where two lists of lines first differ and the two lines, "" for one that is missing; None where all are the same."""
    for at in range(max(len(expected), len(seen))):
        a, b = (lines[at] if at < len(lines) else "" for lines in (expected, seen))
        if at >= min(len(expected), len(seen)) or not same(a, b):
            return at, a, b
    return None
