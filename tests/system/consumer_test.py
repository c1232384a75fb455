"""Muster as its consumers meet it: installed into an empty prefix, found by CMake and by pkg-config from outside the
tree, and run alone and under `muster run`.

    consumer_test.py ROOT BUILD COMPILER FLAGS    FLAGS are those that must be equal on both sides (sanitizers)
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, BUILD, COMPILER, FLAGS = (sys.argv + [""] * 4)[1:5]
COMPILE_WAIT_S = 500
RUN_WAIT_S = 60
PROGRAMS = ["embedding", "own_actor_system", "virtual_world"]


def environment(**more):
    """Ours, without what would tell a program that it is a host of some world."""
    return {k: v for k, v in os.environ.items() if not k.startswith("MUSTER_")} | more


def done(*command, wait_s, **more):
    ran = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         timeout=wait_s, env=environment(**more))
    if ran.returncode != 0:
        raise AssertionError(f"{shlex.join(map(str, command))} ended with {ran.returncode}:\n{ran.stdout}")
    return ran.stdout


def readme_example():
    """The README's block, under the includes of the file that it says it is."""
    block = re.search(r"^```cpp\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL).group(1)
    file = (ROOT / "examples/embedding.cpp").read_text()
    return "".join(re.findall(r"^(?:#include|using namespace) .*\n", file, re.MULTILINE)) + block


class Consumer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="muster-consumer-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        cls.out = cls.place / "build"
        # Moved after it was installed: nothing in it may say where it was.
        done("cmake", "--install", BUILD, "--prefix", cls.place / "first", wait_s=RUN_WAIT_S)
        cls.prefix = (cls.place / "first").rename(cls.place / "prefix")
        cls.command = cls.prefix / "bin/muster"
        shutil.copytree(ROOT / "tests/system/consumer", cls.place / "source")
        cls.out.mkdir()
        (cls.out / "embedding.cpp").write_text(readme_example())
        done("cmake", "-G", "Ninja", "-S", cls.place / "source", "-B", cls.out, f"-DCMAKE_PREFIX_PATH={cls.prefix}",
             f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DCMAKE_CXX_FLAGS={FLAGS}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
             wait_s=RUN_WAIT_S)
        done("cmake", "--build", cls.out, "--parallel", "2", wait_s=COMPILE_WAIT_S)

    def run_all(self, folder):
        self.assertIn("host 0 of 1, mean 0", done(folder / "embedding", wait_s=RUN_WAIT_S))
        self.assertIn("the ledger says 3", done(folder / "own_actor_system", wait_s=RUN_WAIT_S))
        self.assertIn("8 virtual hosts: ok", done(folder / "virtual_world", wait_s=RUN_WAIT_S))

    def on_two_hosts(self, program):
        return done(self.command, "run", "--hosts", "2", "--timeout", f"{RUN_WAIT_S // 2}s", "--", program,
                    wait_s=RUN_WAIT_S)

    def test_programs_that_cmake_built_run_alone(self):
        self.run_all(self.out)

    def test_programs_that_cmake_built_run_on_two_hosts(self):
        self.assertIn("host 1 of 2, mean 0.05", self.on_two_hosts(self.out / "embedding"))
        self.assertEqual(self.on_two_hosts(self.out / "own_actor_system").count("the ledger says 4"), 2)

    def test_programs_are_built_by_what_pkg_config_says_alone(self):
        pkg_config = {"PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig")}
        said = done("pkg-config", "--cflags", "--libs", "muster", wait_s=RUN_WAIT_S, **pkg_config).split()
        folder = self.place / "by_pkg_config"
        folder.mkdir()
        for program in PROGRAMS:
            source = (self.out if program == "embedding" else self.place / "source") / f"{program}.cpp"
            done(COMPILER, "-std=c++20", *FLAGS.split(), source, "-o", folder / program, *said, wait_s=COMPILE_WAIT_S)
        self.run_all(folder)

    def test_our_own_compile_flags_stay_ours(self):
        commands = (self.out / "compile_commands.json").read_text()
        self.assertIn("embedding.cpp", commands)
        for flag in ["-Werror", "-Wconversion", "-ffp-contract"]:
            self.assertNotIn(flag, commands)

    def test_no_protobuf_is_in_a_header(self):
        headers = list((self.prefix / "include").rglob("*.h*"))
        self.assertGreater(len(headers), 50)
        self.assertEqual([h for h in headers if ".pb.h" in (text := h.read_text()) or "google/protobuf" in text], [])

    def test_a_version_that_is_not_there_is_refused(self):
        wrong = self.place / "wrong"
        wrong.mkdir()
        (wrong / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(wrong LANGUAGES CXX)\n"
                                              "find_package(muster 7 REQUIRED)\n")
        with self.assertRaisesRegex(AssertionError, "requested version \"7\""):
            done("cmake", "-G", "Ninja", "-S", wrong, "-B", wrong / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                 f"-DCMAKE_CXX_COMPILER={COMPILER}", wait_s=RUN_WAIT_S)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    ROOT, BUILD = pathlib.Path(ROOT), pathlib.Path(BUILD)
    unittest.main(argv=sys.argv[:1])
