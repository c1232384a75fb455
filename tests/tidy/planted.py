"""A small house in a temporary folder, for tests of tidy: files by path, and a build folder of it."""

import json
import pathlib
import shutil
import tempfile
import unittest

from house import House


class PlantedCase(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="tidy-"))
        self.addCleanup(shutil.rmtree, self.scratch)
        self.root = self.scratch / "tree"
        self.build = self.scratch / "out"
        self.root.mkdir()
        self.build.mkdir()

    def plant(self, files):
        for path, text in files.items():
            full = self.root / path
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_text(text)

    def plant_system_headers(self, *names):
        """Headers of a library, as a package would install them."""
        for name in names:
            full = self.scratch / "usr" / "include" / name
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_text("#pragma once\n")

    def plant_commands(self, *sources, target="box"):
        system = self.scratch / "usr" / "include"
        entries = [{
            "directory": str(self.build),
            "file": str(self.root / source),
            "command": f"c++ -std=c++20 -isystem {system} -o CMakeFiles/{target}.dir/a.o -c {self.root / source}",
        } for source in sources]
        (self.build / "compile_commands.json").write_text(json.dumps(entries))

    def found(self, check):
        return [str(v) for v in check(House(self.root, self.build))]

    def assert_clean(self, check):
        self.assertEqual(self.found(check), [])

    def assert_finds(self, check, *parts):
        """Exactly one violation, and it says all of these."""
        found = self.found(check)
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])
