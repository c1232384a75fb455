"""Files and functions stay short. What is too long is listed in exceptions.txt, a ratchet: it only shrinks."""

import bisect
import re

from house import Violation

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 60  # a screen

EXCEPTIONS = "tests/tidy/exceptions.txt"
MEASURED_SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh", ".py", ".proto", ".cmake", ""}
UNMEASURED = {"LICENSE"}


def check_lengths(house):
    listed, found = read_exceptions(house)
    yield from found
    measured = {}
    for file in house.files:
        if file.suffix not in MEASURED_SUFFIXES or file.path in UNMEASURED:
            continue
        measured[(file.path, "lines")] = (1, file.text.count("\n"), FILE_LINES_MAX)
        if file.is_source:
            for name, line, lines in functions(file.code):
                before = measured.get((file.path, name), (0, 0, 0))
                measured[(file.path, name)] = max(before, (line, lines, FUNCTION_LINES_MAX), key=lambda m: m[1])
    for key, (line, lines, bound) in sorted(measured.items()):
        yield from length_violations(key, line, lines, bound, listed.pop(key, None))
    for (path, what), _ in sorted(listed.items()):
        yield Violation(EXCEPTIONS, 1, "length", f"'{path} {what}' is no longer there: remove the line")


def length_violations(key, line, lines, bound, allowed):
    path, what = key
    thing = "the file" if what == "lines" else f"'{what}'"
    if allowed is None and lines > bound:
        yield Violation(path, line, "length", f"{thing} has {lines} lines, over {bound}: split it")
    elif allowed is not None and lines > allowed:
        yield Violation(path, line, "length", f"{thing} grew to {lines} lines, over its exception of {allowed}")
    elif allowed is not None and lines <= bound:
        yield Violation(EXCEPTIONS, 1, "length", f"'{path} {what}' is within bounds now: remove the line")
    elif allowed is not None and lines < allowed:
        yield Violation(EXCEPTIONS, 1, "length", f"'{path} {what}' shrank: lower {allowed} to {lines}")


def read_exceptions(house):
    """({(path, what): lines}, violations) of the list: `PATH lines N` or `PATH FUNCTION N`."""
    file = house.file(EXCEPTIONS)
    listed, found = {}, []
    for number, line in enumerate(file.text.splitlines() if file else [], 1):
        words = line.split("#")[0].split()
        if len(words) == 3 and words[2].isdigit():
            listed[(words[0], words[1])] = int(words[2])
        elif words:
            found.append(Violation(EXCEPTIONS, number, "length", f"'{line}': not PATH lines N, nor PATH FUNCTION N"))
    return listed, found


# ---- functions, by their braces. The sources are formatted, so a body's brace follows a space.

CONTAINER = re.compile(r"\b(?:namespace|class|struct|union|enum|extern)\b")
NAME = re.compile(r"(~?[\w:]+|operator\S+)\s*\(")
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
MACRO_LINE = re.compile(r"^\s*[A-Z][A-Z0-9_]*\s*\([^()]*\)[ \t]*\n(?=\s*\S)")  # a call of its own, without semicolon


def functions(code):
    """(name, first line, lines) of every function body that is not inside another one."""
    code = DIRECTIVE.sub(lambda m: "\n" * m.group(0).count("\n"), code)
    starts = [m.start() for m in re.finditer(r"^", code, re.MULTILINE)]
    stack, head, head_at = [], "", 0
    for match in re.finditer(r"[{};]|[^{};]+", code):
        token = match.group(0)
        if token == "{":
            kind, name = kind_of(head, stack)
            stack.append((kind, name, head_at, head))
            head, head_at = "", match.end()
        elif token == "}" and stack:
            kind, name, begin, before = stack.pop()
            if kind == "function":
                first = bisect.bisect_right(starts, begin)
                last = bisect.bisect_right(starts, match.start())
                yield name, first, last - first + 1
            # The head goes on after braces that only initialise a member or an argument.
            head, head_at = (before + "{}", begin) if kind == "initializer" else ("", match.end())
        elif token == ";":
            head, head_at = "", match.end()
        else:
            if not head.strip():
                head_at = match.start() + len(token) - len(token.lstrip())
            head += token


def kind_of(head, stack):
    if any(kind == "function" for kind, *_ in stack):
        return "inside", ""
    while MACRO_LINE.search(head):
        head = MACRO_LINE.sub("", head, count=1)
    if head.rstrip() != "" and head[-1] not in " \n" and not head.rstrip().endswith((")", "const", "noexcept", "override")):
        return "initializer", ""
    name = NAME.search(re.sub(r"\b(?:alignas|decltype|noexcept|requires|explicit|__attribute__)\s*\(", " ", head))
    outside = re.sub(r"<[^<>]*>", "", head)  # class in template parameters makes no container
    if CONTAINER.search(outside.partition("(")[0]):
        return "container", ""
    if name and not re.search(r"=\s*$", head):
        return "function", test_name(head) or name.group(1)
    return "initializer", ""


def test_name(head):
    match = re.search(r"\b(?:TEST\w*|TYPED_TEST\w*|RC_GTEST\w*)\s*\(\s*(\w+)\s*,\s*(\w+)", head)
    return f"{match.group(1)}.{match.group(2)}" if match else None
