"""Markdown: tables, headings and paragraphs."""


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def section(level, title, *parts):
    return "\n\n".join(["#" * level + " " + title, *(p for p in parts if p)])


def per_precision(texts):
    """Of (fp32, fp64)."""
    return " / ".join(texts)
