"""Production and simulation differ at exactly six seams, and ARCHITECTURE.md says where."""

import re

from house import Violation

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
