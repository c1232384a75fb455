"""coverage: every row of tests/coverage/*.md names one test that exists, or says why it has none.

    coverage.py FOLDER BUILD    FOLDER has the tables, BUILD is a built folder. Exits with 1 if a row breaks the rule
"""

import json
import pathlib
import re
import subprocess
import sys

ROW = re.compile(r"^\|(?P<cells>.*)\|\s*$")
TEST = re.compile(r"[A-Za-z_]\w*(?:/\w+)?\.[A-Za-z_]\w*(?:/\w+)?")
REASON = "rejected:"


def rows_of(text):
    """(line number, cells) of each row; a bar inside a cell is written \\|."""
    for number, line in enumerate(text.splitlines(), 1):
        found = ROW.match(line.strip())
        if not found:
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", found["cells"])]
        if cells == ["row", "test"] or all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            continue
        yield number, cells


def problem_of(cells, tests):
    if len(cells) != 2:
        return f"has {len(cells)} cells: a row and its test are 2"
    row, test = cells
    if not row:
        return "names no row"
    if test.startswith(REASON):
        return None if test[len(REASON):].strip() else f"'{row}' is rejected without a reason"
    if not TEST.fullmatch(test):
        return f"'{row}' has '{test}': must be one Suite.Name, or '{REASON} why'"
    return None if test in tests else f"'{row}' names {test}, which no test program has"


def check(tables, tests):
    """What breaks the rule, a line each. `tables` are texts by name; `tests` are the names that exist."""
    seen = {}
    for name, text in sorted(tables.items()):
        rows = list(rows_of(text))
        if not rows:
            yield f"{name}: has no rows"
        for number, cells in rows:
            place = f"{name}:{number}"
            if problem := problem_of(cells, tests):
                yield f"{place}: {problem}"
            if first := seen.get(cells[0]):
                yield f"{place}: '{cells[0]}' is at {first} already"
            seen.setdefault(cells[0], place)


def tests_listed(listing):
    """The names in the output of --gtest_list_tests."""
    suite = None
    for line in listing.splitlines():
        name = line.split("#")[0].rstrip()
        if re.fullmatch(r"\S+\.", name):
            suite = name
        elif suite and re.fullmatch(r"  \S+", name):
            yield suite + name.strip()


def uses_googletest(program):
    return program.is_file() and b"gtest_list_tests" in program.read_bytes()


def tests_built(build):
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True, text=True)
    commands = [test.get("command", []) for test in json.loads(shown.stdout)["tests"]]
    root = pathlib.Path(build).resolve()
    programs = {pathlib.Path(argument) for command in commands for argument in command[:1]}
    found = set()
    for program in sorted(programs):
        if root in program.parents and uses_googletest(program):
            listed = subprocess.run([program, "--gtest_list_tests"], check=True, capture_output=True, text=True)
            found.update(tests_listed(listed.stdout))
    return found


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tables = {path.name: path.read_text() for path in pathlib.Path(sys.argv[1]).glob("*.md")}
    if not tables:
        sys.exit(f"coverage: no tables in '{sys.argv[1]}'")
    found = list(check(tables, tests_built(sys.argv[2])))
    print("\n".join([*found, f"coverage: {len(found)} violations in {len(tables)} tables"]))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
