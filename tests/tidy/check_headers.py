"""Every header compiles alone. The build itself shows it for a header that its own source includes first; the others
are compiled here, and what passed is remembered in the build folder until it, or what it reads, changes."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile

import check_layers
import compile_commands
from house import Violation, box_of

COMPILER_TIMEOUT_S = 120


def check_self_contained(house):
    entries = compile_commands.read(house.build)
    shown = set(shown_by_build(house, entries))
    headers = [f for f in house.sources if f.suffix == ".hpp" and box_of(f.path) and f.path not in shown]
    memory = house.build / "tidy-headers.json"
    passed = load(memory)
    with tempfile.TemporaryDirectory() as scratch:
        os.symlink(house.root, os.path.join(scratch, "muster"))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [(f, pool.submit(compile_alone, house, entries, scratch, f, passed)) for f in headers]
            results = [(f, *job.result()) for f, job in jobs]
    memory.write_text(json.dumps(sorted(key for _, key, error in results if not error)))
    for file, _, error in results:
        if error:
            yield Violation(file.path, 1, "alone", f"does not compile alone: {error}")


def shown_by_build(house, entries):
    """Headers that a source of the same name includes before anything else, precompiled or not."""
    for entry in entries:
        source = house.file(check_layers.relative(house, entry))
        if source and source.includes and not entry["precompiled"]:
            header = str(pathlib.PurePath(source.path).with_suffix(".hpp"))
            if source.includes[0][2] == "muster/" + header:
                yield header


def load(memory):
    try:
        return set(json.loads(memory.read_text()))
    except (OSError, ValueError):
        return set()


def compile_alone(house, entries, scratch, file, passed):
    """(key, error): the key stands for the command and all of our headers that this one reads."""
    command = [w for w in check_layers.command_for(house, entries, file.path) if not w.startswith("-O")]
    key = digest(house, command, file)
    if key in passed:
        return key, None
    command += ["-I", scratch, "-fsyntax-only", "-x", "c++", "-"]
    ran = subprocess.run(command, input=f"#include <muster/{file.path}>\n", text=True, capture_output=True,
                         timeout=COMPILER_TIMEOUT_S, check=False)
    if ran.returncode == 0:
        return key, None
    return key, check_layers.first_error(ran.stderr, scratch)


def digest(house, command, file):
    sha = hashlib.sha256(repr(command).encode())
    for path in closure(house, file):
        sha.update(path.encode() + b"\0" + house.file(path).text.encode() + b"\0")
    return sha.hexdigest()


def closure(house, file):
    """The paths of this header and of all of ours that it reads, at any depth, in order of name."""
    seen = {}
    waiting = [file]
    while waiting:
        now = waiting.pop()
        if now.path in seen:
            continue
        seen[now.path] = now
        theirs = (house.file(n.removeprefix("muster/")) for _, _, n in now.includes if n.startswith("muster/"))
        waiting += [f for f in theirs if f]
    return sorted(seen)
