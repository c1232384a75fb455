"""Pages say what is so: the six seams are where ARCHITECTURE.md says, code in the README is that of a program that is
built, and links lead somewhere."""

import pathlib
import re

from house import Violation

# ---- production and simulation differ at exactly six seams

DOCUMENT = "ARCHITECTURE.md"
SEAMS = ["transport", "clock and timers", "executor", "randomness", "device back end", "storage"]
NOT_CROSSED = "not crossed yet"


def check_seams(house):
    """The table: | seam | interface | production | simulation |, paths in backquotes. A seam that nothing
    crosses yet says so instead of naming paths."""
    file = house.file(DOCUMENT)
    if file is None:
        yield Violation(DOCUMENT, 1, "seams", "is not there")
        return
    rows = seam_rows(file.text)
    named = [cells[0] for _, cells in rows]
    if sorted(named) != sorted(SEAMS):
        yield Violation(DOCUMENT, 1, "seams", f"its table has the seams {named}, not the six {SEAMS}")
    for line, cells in rows:
        yield from row_violations(house, line, cells)


def seam_rows(text):
    """(line, cells) of the table whose header begins with `seam`."""
    rows, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        cells = [c.strip() for c in line.strip().strip("|").split("|")] if line.lstrip().startswith("|") else None
        if cells is None:
            inside = False
        elif cells[0] == "seam":
            inside = True
        elif inside and not set(cells[0]) <= set("-: "):
            rows.append((number, cells))
    return rows


def row_violations(house, line, cells):
    if len(cells) != 4:
        yield Violation(DOCUMENT, line, "seams", f"'{cells[0]}' has {len(cells)} columns, not 4")
        return
    seam, *columns = cells
    if columns[0] == NOT_CROSSED:
        if any("`" in c for c in columns):
            yield Violation(DOCUMENT, line, "seams", f"'{seam}' is {NOT_CROSSED}, and yet names a path")
        return
    named = [re.findall(r"`([^`]+)`", c) for c in columns]
    for title, paths in zip(["interface", "production", "simulation"], named):
        if not paths:
            yield Violation(DOCUMENT, line, "seams", f"'{seam}' names no path for its {title}")
        for path in paths:
            if not (house.root / path).exists():
                yield Violation(DOCUMENT, line, "seams", f"'{seam}' names {path}, which is not there")
    if named[0] and not named[0][0].endswith(".hpp"):
        yield Violation(DOCUMENT, line, "seams", f"'{seam}' has {named[0][0]} for its interface, which is no header")
    if set(named[1]) & set(named[2]):
        yield Violation(DOCUMENT, line, "seams", f"'{seam}' names one implementation twice: a seam has two sides")


# ---- what pages show

FENCE = re.compile(r"^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]\n]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def check_shown_code(house):
    """Every block of C++ in the README stands, line for line, in a file of examples/, which is built and run."""
    page = house.file("README.md")
    programs = [f.text for f in house.sources if f.path.startswith("examples/")]
    for match in FENCE.finditer(page.text if page else ""):
        if not any(match.group(1) in text for text in programs):
            line = page.text.count("\n", 0, match.start()) + 1
            yield Violation("README.md", line, "shown", "this code is in no file of examples/, so nobody compiles it")


def check_links(house):
    for file in house.files:
        for match in LINK.finditer(file.text) if file.suffix == ".md" else []:
            target = match.group(1)
            if "://" not in target and not (house.root / pathlib.PurePath(file.path).parent / target).exists():
                line = file.text.count("\n", 0, match.start()) + 1
                yield Violation(file.path, line, "links", f"{target} is not there")
