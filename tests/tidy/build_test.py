import unittest

import check_build
import compile_commands
from planted import PlantedCase

LIST = check_build.LIST


class Packages(PlantedCase):
    def test_listed_ones_pass(self):
        self.plant({"CMakeLists.txt": "find_package(CAF 0.17 REQUIRED)\n# find_package(Boost)\n"
                                      "pkg_check_modules(ZMQ REQUIRED IMPORTED_TARGET libzmq>=4.3)\n",
                    LIST: "# build\nlibcaf-dev\nlibzmq3-dev\n"})
        self.assert_clean(check_build.check_packages)

    def test_one_that_the_list_lacks_is_found(self):
        self.plant({"cmake/optional.cmake": "\nfind_package(benchmark QUIET)\n", LIST: "libcaf-dev\n"})
        self.assert_finds(check_build.check_packages, "cmake/optional.cmake:2:", "libbenchmark-dev")

    def test_a_program_that_the_list_lacks_is_found(self):
        self.plant({"tests/CMakeLists.txt": "find_program(MUSTER_PATCH NAMES patch REQUIRED)\n", LIST: "g++\n"})
        self.assert_finds(check_build.check_packages, "'patch' needs patch")

    def test_a_stranger_is_found(self):
        self.plant({"CMakeLists.txt": "find_package(Boost REQUIRED)\n", LIST: ""})
        self.assert_finds(check_build.check_packages, "'Boost' has no Debian package")


class Sources(PlantedCase):
    def test_a_source_of_a_target_passes(self):
        self.plant({"runtime/a.cpp": "", "tests/consumer/CMakeLists.txt": "project(consumer)\n", "tests/consumer/a.cpp": ""})
        self.plant_commands("runtime/a.cpp")
        self.assert_clean(check_build.check_sources_are_built)

    def test_an_orphan_is_found(self):
        self.plant({"runtime/a.cpp": "", "tests/wire/b_test.cpp": ""})
        self.plant_commands("runtime/a.cpp")
        self.assert_finds(check_build.check_sources_are_built, "tests/wire/b_test.cpp", "no target")


class Tests(PlantedCase):
    def plant_ctest(self, *programs):
        lines = [f'add_test([=[{p}]=] "{self.build}/tests/{p}" "--fast")\n' for p in programs]
        (self.build / "tests").mkdir(exist_ok=True)
        (self.build / "tests" / "CTestTestfile.cmake").write_text("".join(lines))

    def setUp(self):
        super().setUp()
        self.plant({"tests/wire/a_test.cpp": ""})
        self.plant_commands("tests/wire/a_test.cpp", target="wire_test")

    def test_a_registered_one_passes(self):
        self.plant_ctest("wire_test")
        self.assert_clean(check_build.check_tests_are_run)

    def test_a_source_of_several_programs_needs_one_that_runs(self):
        self.plant_commands("tests/wire/a_test.cpp", "tests/wire/a_test.cpp", target="wire_test")
        commands = self.build / "compile_commands.json"
        commands.write_text(commands.read_text().replace("wire_test.dir", "objects.dir", 1))
        self.plant_ctest("wire_test")
        self.assert_clean(check_build.check_tests_are_run)

    def test_one_that_nobody_runs_is_found(self):
        self.plant_ctest("other_test")
        self.assert_finds(check_build.check_tests_are_run, "tests/wire/a_test.cpp", "wire_test")


class Commands(unittest.TestCase):
    def test_lose_launcher_and_precompiled_header(self):
        words = "/usr/bin/cmake -E env A=b /usr/bin/ccache /usr/bin/c++ -Winvalid-pch -include /b/cmake_pch.hxx -O2 -include x.h -c a.cpp".split()
        kept = compile_commands.without_precompiled_header(compile_commands.without_launcher(words))
        self.assertEqual(kept, "/usr/bin/c++ -O2 -include x.h -c a.cpp".split())

    def test_flags_are_without_input_and_output(self):
        entry = {"directory": "/b", "file": "/t/a.cpp", "arguments": "c++ -O2 -MD -MF a.d -o a.o -c /t/a.cpp".split()}
        self.assertEqual(compile_commands.flags(entry), ["c++", "-O2"])


if __name__ == "__main__":
    unittest.main()
