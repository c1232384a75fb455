"""The compiler's commands as CMake wrote them, without what only works for that one build.

    compile_commands.py BUILD OUT    writes OUT/compile_commands.json without precompiled headers, for clang-tidy
"""

import json
import pathlib
import re
import shlex
import sys

PRECOMPILED = re.compile(r"cmake_pch\.hxx(\.gch|\.pch)?$")


def read(build):
    """The entries of a build folder: dicts with file, directory, arguments, and whether a precompiled header was dropped."""
    path = pathlib.Path(build) / "compile_commands.json"
    entries = json.loads(path.read_text())
    for entry in entries:
        if "arguments" not in entry:
            entry["arguments"] = shlex.split(entry.pop("command"))
        words = without_launcher(entry["arguments"])
        entry["arguments"] = without_precompiled_header(words)
        entry["precompiled"] = len(entry["arguments"]) < len(words)
    return [e for e in entries if not PRECOMPILED.search(e["file"]) and not e["file"].endswith("cmake_pch.hxx.cxx")]


def without_launcher(arguments):
    """Drops what stands before the compiler: `cmake -E env X=Y ccache c++ ...` becomes `c++ ...`."""
    for i, word in enumerate(arguments):
        if re.search(r"(^|/)(g\+\+|c\+\+|clang\+\+|gcc|cc|clang|nvcc)(-[\d.]+)?$", word):
            return arguments[i:]
    return arguments


def without_precompiled_header(arguments):
    kept = []
    skip = False
    for i, word in enumerate(arguments):
        if skip:
            skip = False
        elif word == "-include" and i + 1 < len(arguments) and PRECOMPILED.search(arguments[i + 1]):
            skip = True
        elif word in {"-Winvalid-pch", "-fpch-preprocess"}:
            pass
        else:
            kept.append(word)
    return kept


def flags(entry):
    """The compiler and its flags, without input, output and -c."""
    kept = []
    skip = False
    source = pathlib.Path(entry["directory"], entry["file"])
    for word in entry["arguments"]:
        if skip:
            skip = False
        elif word in {"-o", "-MF", "-MT", "-MQ"}:
            skip = True
        elif word in {"-c", "-MD", "-MMD"} or pathlib.Path(entry["directory"], word) == source:
            pass
        else:
            kept.append(word)
    return kept


def target_of(entry):
    """The CMake target that an entry belongs to, by the name of its object's folder."""
    words = entry["arguments"]
    output = entry.get("output") or (words[words.index("-o") + 1] if "-o" in words else "")
    match = re.search(r"CMakeFiles/([^/]+)\.dir/", output)
    return match.group(1) if match else None


def main():
    build, out = sys.argv[1:]
    entries = read(build)
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    pathlib.Path(out, "compile_commands.json").write_text(json.dumps(entries, indent=1))


if __name__ == "__main__":
    main()
