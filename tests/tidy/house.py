"""The tree of Muster as tidy sees it: its boxes, who may know whom, and its files."""

import dataclasses
import functools
import os
import pathlib
import re

# ---- the chain
#
#     examples, tests -> runtime -> actors/shells -> { devices, messages/transport -> messages/wire } -> messages/values
#                                        |
#                                 actors/protocols -> messages/values
#
# A box and the boxes whose headers it may include, beside its own. A file belongs to the longest name
# that its path begins with.

BELOW_SHELLS = ["messages/values", "messages/wire", "messages/transport", "devices", "actors/protocols"]
BACK_ENDS = ["messages/transport/zmq", "messages/transport/sim", "devices/cpu", "devices/cuda", "devices/simulated"]

BOXES = {
    "messages/values": [],
    "messages/wire": ["messages/values"],
    "messages/transport": ["messages/values", "messages/wire"],
    "messages/transport/zmq": ["messages/values", "messages/wire", "messages/transport"],
    "messages/transport/sim": ["messages/values", "messages/wire", "messages/transport"],
    "devices": ["messages/values"],
    "devices/cpu": ["messages/values", "devices"],
    "devices/simulated": ["messages/values", "devices", "devices/cpu"],
    "devices/cuda": ["messages/values", "devices"],
    "actors/protocols": ["messages/values"],
    "actors/shells": BELOW_SHELLS,
    "runtime": BELOW_SHELLS + BACK_ENDS + ["actors/shells"],
    "examples": BELOW_SHELLS + BACK_ENDS + ["actors/shells", "runtime"],
    "tests": BELOW_SHELLS + BACK_ENDS + ["actors/shells", "runtime", "examples"],
}


@dataclasses.dataclass(frozen=True)
class Library:
    """A library that only some boxes may see, in sources and in headers. `header` matches the path of one."""
    name: str
    header: str
    sources: tuple
    headers: tuple


# Tests are named by their folder: what a test of a box may see is what the box may see. A header of the
# wire that shows Protobuf is private to the wire: whoever else includes it reaches Protobuf, and is found.
LIBRARIES = [
    Library("CAF", r"caf/", ("actors/shells", "runtime", "examples", "tests/shells", "tests/runtime",
                             "tests/examples", "tests/system", "tests/bench", "tests/consumer", "tests/sanitizers"),
            ("actors/shells", "runtime", "examples", "tests/shells", "tests/runtime")),
    Library("ZeroMQ", r"zmq(_addon)?\.h(pp)?$", ("messages/transport/zmq", "tests/transport", "tests/bench"),
            ("messages/transport/zmq",)),
    Library("Protobuf", r"google/protobuf/|.*\.pb\.h$", ("messages/wire", "tests/wire", "tests/bench"),
            ("messages/wire",)),
    Library("spdlog", r"spdlog/", ("actors/shells", "runtime", "examples", "tests/shells", "tests/runtime"),
            ("actors/shells", "runtime")),
    Library("DLPack", r"dlpack/", ("runtime", "tests/runtime"), ()),
    Library("CUDA", r"(cuda\w*|cu\w+_v\d|nvtx\w*|curand\w*)\.h$|cub/|thrust/|cuda/", ("devices/cuda", "tests/devices/cuda"),
            ("devices/cuda",)),
]

SOURCE_SUFFIXES = {".cpp", ".hpp"}
CUDA_SUFFIXES = {".cu", ".cuh"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


@dataclasses.dataclass(frozen=True, order=True)
class Violation:
    path: str
    line: int
    check: str
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: [{self.check}] {self.text}"


class File:
    """A file of the tree. `code` is its text without comments and literals, line for line."""

    def __init__(self, root, path):
        self.path = path
        self.full = root / path
        self.suffix = pathlib.PurePath(path).suffix

    @functools.cached_property
    def text(self):
        return self.full.read_text(encoding="utf-8", errors="replace")

    @functools.cached_property
    def code(self):
        return without_comments_and_literals(self.text)

    @functools.cached_property
    def includes(self):
        """(line, quoted, name) of every include."""
        # Comments go, literals stay: a quoted include is one.
        text = without_comments_and_literals(self.text, literals=True)
        return [(text.count("\n", 0, m.start(2)) + 1, m.group(1) == '"', m.group(2)) for m in INCLUDE.finditer(text)]

    @property
    def is_header(self):
        return self.suffix in {".hpp", ".cuh"}

    @property
    def is_source(self):
        return self.suffix in SOURCE_SUFFIXES | CUDA_SUFFIXES


class House:
    """A checkout (`root`) and, for the checks that need one, a build folder of it."""

    def __init__(self, root, build=None):
        self.root = pathlib.Path(root).resolve()
        self.build = pathlib.Path(build).resolve() if build else None

    @functools.cached_property
    def files(self):
        found = []
        for folder, folders, names in os.walk(self.root):
            here = pathlib.PurePath(os.path.relpath(folder, self.root))
            folders[:] = sorted(f for f in folders if not is_foreign(here, f))
            found += [File(self.root, (here / n).as_posix()) for n in names if not (here / n).suffix == ".pyc"]
        return sorted(found, key=lambda f: f.path)

    @property
    def sources(self):
        return [f for f in self.files if f.is_source]

    @functools.cached_property
    def by_path(self):
        return {f.path: f for f in self.files}

    def file(self, path):
        return self.by_path.get(path)


def is_foreign(parent, name):
    """Folders that hold nothing of ours: build folders, git's own, caches."""
    at_top = parent == pathlib.PurePath(".")
    return name in {".git", "__pycache__", ".cache"} or (at_top and name.startswith("build"))


def box_of(path):
    """The box that a path of the tree, or of an include of ours, belongs to; None outside of all."""
    fitting = [b for b in BOXES if path == b or path.startswith(b + "/")]
    return max(fitting, key=len, default=None)


LEXEME = re.compile(
    r"""//[^\n]*|/\*.*?\*/                                     # comments
      |R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"            # raw strings
      |"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+' # strings, characters; not 1'000""",
    re.DOTALL | re.VERBOSE)


def without_comments_and_literals(text, literals=False):
    """Blanks out comments (and literals, unless they should stay); lines keep their numbers."""

    def blank(match):
        lexeme = match.group(0)
        if not lexeme.startswith("/") and literals:
            return lexeme
        lines = "\n" * lexeme.count("\n")
        return (" " if lexeme.startswith("/") else '""') + lines

    return LEXEME.sub(blank, text)
