"""Every link of a page leads somewhere, and the README stays short. Called with ROOT [unittest options]."""
import os
import re
import sys
import unittest

ROOT = sys.argv.pop(1)
WIDTH, README_LINES = 110, 150
GENERATED = ("docs/petsc-programs.md", "results/claims.md", "results/H200.md", "results/CPU.md")


def pages():
    for folder in ("", "docs", "results"):
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            if name.endswith(".md"):
                yield os.path.join(folder, name)


def lines_of(page):
    with open(os.path.join(ROOT, page)) as file:
        return file.read().splitlines()


def prose(lines):
    """(number, line) outside of code; without the blocks between fences, and those that are indented."""
    code = False
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            code = not code
        elif not code and not line.startswith("    "):
            yield number, line


def anchors(page):
    """Of its headings, as GitHub makes them."""
    titles = [line.lstrip("#").strip() for _, line in prose(lines_of(page)) if re.match("#+ ", line)]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


class Pages(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for page in pages():
            text = "\n".join(line for _, line in prose(lines_of(page)))
            for link in re.findall(r"\]\(([^)\s]+)\)", text):
                if "://" in link:
                    continue
                path, _, anchor = link.partition("#")
                target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                with self.subTest(page=page, link=link):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, target)))
                    if anchor:
                        self.assertIn(anchor, anchors(target))

    def test_every_page_of_docs_is_linked_from_the_readme(self):
        readme = "\n".join(lines_of("README.md"))
        for page in pages():
            if page.startswith("docs"):
                self.assertIn(f"]({page})", readme)

    def test_the_readme_is_short(self):
        self.assertLessEqual(len(lines_of("README.md")), README_LINES)

    def test_prose_is_narrow(self):
        for page in pages():
            if page not in GENERATED:
                wide = [number for number, line in prose(lines_of(page)) if len(line) > WIDTH and not line.startswith(("|", "!"))]
                self.assertEqual(wide, [], page)

    def test_files_that_are_named_are_there(self):
        """Of this tree, by their whole path in backticks."""
        for page in pages():
            if page.startswith("results"):
                continue
            for path in re.findall(r"`((?:grid|formats|assembly|kernels|drivers|tests|cmake|results)/[\w/.-]+\.\w+)`",
                                   "\n".join(line for _, line in prose(lines_of(page)))):
                if "foo" not in path:  # which stands for a new one
                    with self.subTest(page=page, path=path):
                        self.assertTrue(os.path.exists(os.path.join(ROOT, path)))


if __name__ == "__main__":
    unittest.main()
