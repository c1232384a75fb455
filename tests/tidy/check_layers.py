"""Who may include whom: ours by the table of boxes, libraries by running the compiler itself."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile

import compile_commands
from house import BOXES, LIBRARIES, Violation, box_of

COMPILER_TIMEOUT_S = 120


def check_chain(house):
    """Every include of ours is allowed by the table, and stands in angle brackets."""
    for file in house.sources:
        mine = box_of(file.path)
        for line, quoted, name in file.includes:
            if quoted:
                yield Violation(file.path, line, "quoted", f'include "{name}" as <muster/...>: a relative one escapes the walls')
            elif name.startswith("muster/"):
                yield from chain_violation(file, mine, line, name)


def chain_violation(file, mine, line, name):
    theirs = box_of(name.removeprefix("muster/"))
    if mine is None:
        yield Violation(file.path, line, "chain", f"{file.path} is in no box of the table")
    elif theirs is None:
        yield Violation(file.path, line, "chain", f"<{name}> is in no box of the table")
    elif theirs != mine and theirs not in BOXES[mine]:
        yield Violation(file.path, line, "chain", f"{mine} may not know {theirs} (<{name}>)")


# ---- libraries


def library_of(path):
    """The library of LIBRARIES that a header belongs to, by an include's name or the path of its file."""
    name = re.sub(r"^\w+-linux-gnu\w*/", "", path.rpartition("/include/")[2])
    return next((l for l in LIBRARIES if re.match(l.header, name)), None)


def may_see(library, path, is_header):
    allowed = library.headers if is_header else library.sources
    return any(path.startswith(a + "/") for a in allowed)


def check_named_libraries(house):
    """What a file includes by name. Finds its line; the compiler below finds what comes by detours."""
    for file in house.sources:
        for line, _, name in file.includes:
            library = library_of(name)
            if library and not may_see(library, file.path, file.is_header):
                yield Violation(file.path, line, "library", f"{library.name} is not for {where(file)} (<{name}>)")


def where(file):
    return ("headers of " if file.is_header else "") + str(pathlib.PurePath(file.path).parent)


def check_reached_libraries(house):
    """What a box really reads, by -M without the precompiled header: one run for its headers, one for its sources."""
    entries = compile_commands.read(house.build)
    with tempfile.TemporaryDirectory() as scratch:
        # Ours resolve from the tree itself: the walls between boxes are the chain's business.
        os.symlink(house.root, os.path.join(scratch, "muster"))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [pool.submit(reached_violations, house, entries, scratch, *g) for g in groups(house)]
            for job in jobs:
                yield from job.result()


def groups(house):
    """(files, is_header) of every folder of a box that is guarded at all; tests are read by name only."""
    folders = {}
    for file in house.sources:
        box = box_of(file.path)
        if box and box not in {"tests", "examples"} and file.suffix in {".cpp", ".hpp"}:
            folders.setdefault((box, file.is_header), []).append(file)
    return [(files, is_header) for (_, is_header), files in sorted(folders.items())]


def reached_violations(house, entries, scratch, files, is_header):
    command = command_for(house, entries, files[0].path)
    own = {f.path for f in files}
    names = sorted({n for f in files for _, _, n in f.includes if n.removeprefix("muster/") not in own})
    error, reached = dependencies(command, scratch, names)
    if error:
        return [Violation(files[0].path, 1, "library", f"the compiler can't read what this box includes: {error}")]
    found = []
    for library in {library_of(p) for p in reached} - {None}:
        if not may_see(library, files[0].path, is_header):
            found.append(blame(command, scratch, files, library))
    return found


def blame(command, scratch, files, library):
    """The first include that leads to a library."""
    for file in files:
        for line, _, name in file.includes:
            _, reached = dependencies(command, scratch, [name])
            if library in {library_of(p) for p in reached}:
                return Violation(file.path, line, "library", f"<{name}> leads to {library.name}, which is not for {where(file)}")
    return Violation(files[0].path, 1, "library", f"this box's includes together lead to {library.name}")


def command_for(house, entries, path):
    """The compiler and flags of a box: those of one of its sources, or of any of ours if it has none."""
    box = box_of(path)
    ours = [e for e in entries if box_of(relative(house, e)) is not None]
    own = [e for e in ours if box_of(relative(house, e)) == box]
    entry = next(iter(own or ours), None)
    return compile_commands.flags(entry) if entry else ["c++", "-std=c++20"]


def relative(house, entry):
    return os.path.relpath(os.path.join(entry["directory"], entry["file"]), house.root)


def first_error(text, scratch):
    """The compiler's first error, with paths of the tree as they are in the tree."""
    lines = text.replace(os.path.join(scratch, "muster") + "/", "").splitlines() or ["no message"]
    return next((l for l in lines if "error:" in l), lines[0])


def dependencies(command, scratch, names):
    """(error, paths) of all that these includes read together."""
    text = "".join(f"#include <{n}>\n" for n in names)
    ran = subprocess.run([*command, "-w", "-I", scratch, "-M", "-x", "c++", "-"], input=text, text=True,
                         capture_output=True, timeout=COMPILER_TIMEOUT_S, check=False)
    if ran.returncode != 0:
        return first_error(ran.stderr, scratch), []
    words = ran.stdout.replace("\\\n", " ").partition(":")[2]
    return None, [w.replace("\\ ", " ") for w in re.findall(r"(?:\\ |\S)+", words)]
