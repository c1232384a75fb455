"""Nothing stands beside the build: every source is compiled, every test runs, every package is listed."""

import os
import pathlib
import re

import compile_commands
from house import Violation

LIST = "cmake/debian-packages.txt"

# What CMake calls it, and what Debian does. Empty: optional, and no package of Debian's main archive.
PACKAGES = {
    "Threads": ["g++"],
    "PkgConfig": ["pkg-config"],
    "Python3": ["python3"],
    "CAF": ["libcaf-dev"],
    "Protobuf": ["libprotobuf-dev", "protobuf-compiler"],
    "libzmq": ["libzmq3-dev"],
    "cppzmq": ["cppzmq-dev"],
    "libxxhash": ["libxxhash-dev"],
    "fmt": ["libfmt-dev"],
    "dlpack": ["libdlpack-dev"],
    "spdlog": ["libspdlog-dev"],
    "CLI11": ["libcli11-dev"],
    "nlohmann_json": ["nlohmann-json3-dev"],
    "GTest": ["libgtest-dev", "libgmock-dev"],
    "rapidcheck": ["librapidcheck-dev"],
    "benchmark": ["libbenchmark-dev"],
    "hwloc": ["libhwloc-dev"],
    "libsodium": ["libsodium-dev"],
    "prometheus-cpp": ["prometheus-cpp-dev"],
    "prometheus-cpp-core": ["prometheus-cpp-dev"],
    "ompi-c": ["libopenmpi-dev"],
    "MPI": ["libopenmpi-dev"],
    "CUDAToolkit": [],
    "muster": [],
    # programs
    "ccache": ["ccache"],
    "patch": ["patch"],
    "clang-tidy": ["clang-tidy"],
    "clang-format": ["clang-format"],
}
FIND = re.compile(r"\b(find_package|find_dependency|find_program|pkg_check_modules|pkg_search_module)\s*\(([^()]*)\)", re.IGNORECASE)
WORDS_OF_PKG_CONFIG = {"REQUIRED", "QUIET", "IMPORTED_TARGET", "GLOBAL", "NO_CMAKE_PATH", "NO_CMAKE_ENVIRONMENT_PATH"}


def check_packages(house):
    listed = {l.split()[0] for l in text_of(house, LIST).splitlines() if l.strip() and not l.startswith("#")}
    for file in house.files:
        if file.suffix != ".cmake" and not file.path.endswith("CMakeLists.txt"):
            continue
        code = re.sub(r"#[^\n]*", "", file.text)
        for match in FIND.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            for name in wanted(match.group(1).lower(), match.group(2).split()):
                yield from package_violations(file.path, line, name, listed)


def wanted(command, words):
    if command.startswith("pkg_"):
        modules = [w for w in words[1:] if w not in WORDS_OF_PKG_CONFIG]
        return [re.split(r"[<>=]", m)[0] for m in modules]
    if command == "find_program":
        return [w for w in words[1:2] if w != "NAMES"] or words[2:3]
    return words[:1]


def package_violations(path, line, name, listed):
    if name not in PACKAGES:
        yield Violation(path, line, "packages", f"'{name}' has no Debian package in tests/tidy/check_build.py")
        return
    for package in PACKAGES[name]:
        if package not in listed:
            yield Violation(path, line, "packages", f"'{name}' needs {package}, which {LIST} lacks")


def text_of(house, path):
    file = house.file(path)
    return file.text if file else ""


# ---- sources and tests


def check_sources_are_built(house):
    entries = compile_commands.read(house.build)
    built = {os.path.relpath(os.path.join(e["directory"], e["file"]), house.root) for e in entries}
    elsewhere = other_projects(house)
    for file in house.sources:
        if file.suffix == ".cpp" and file.path not in built and not file.path.startswith(elsewhere):
            yield Violation(file.path, 1, "built", "belongs to no target")


def other_projects(house):
    """Folders with a project of their own, such as consumers of an installed Muster."""
    lists = [f for f in house.files if f.path.endswith("/CMakeLists.txt") and re.search(r"^project\(", f.text, re.MULTILINE)]
    return tuple(str(pathlib.PurePath(f.path).parent) + "/" for f in lists)


def check_tests_are_run(house):
    """Every *_test.cpp is in at least one program that is the command of a test that CTest knows."""
    targets = {}
    for entry in compile_commands.read(house.build):
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), house.root)
        if path.startswith("tests/") and path.endswith("_test.cpp"):
            targets.setdefault(path, set()).add(compile_commands.target_of(entry))
    commands = {pathlib.PurePath(word).name for word in known_commands(house)}
    for path, programs in sorted(targets.items()):
        if not programs & commands:
            yield Violation(path, 1, "run", f"no test of CTest runs {' or '.join(sorted(map(str, programs)))}")


def known_commands(house):
    """Every word of every test's command, from what CMake has written for CTest."""
    words = set()
    for written in house.build.rglob("CTestTestfile.cmake"):
        for test in re.finditer(r"^add_test\(([^\n]*)\)$", written.read_text(), re.MULTILINE):
            words.update(re.findall(r'"([^"]*)"', test.group(1)))
    return words
