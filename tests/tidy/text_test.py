import unittest

import check_text
from planted import PlantedCase


def in_protocol(line):
    return {"actors/protocols/a.cpp": f"#include <map>\n\n{line}\n"}


class Protocols(PlantedCase):
    def test_pure_code_passes(self):
        self.plant(in_protocol("std::map<std::string, int*> by_name;  // unordered_map would not do, nor std::mutex\n"
                               "void log_of(time_point now) { step(now, \"printf(\"); }"))
        self.assert_clean(check_text.check_protocols_are_pure)

    def test_each_impurity_is_found(self):
        for line in ["std::unordered_map<int, int> m;", "std::map<node*, int> m;", "std::set<const node *> s;",
                     "std::map<std::shared_ptr<node>, int> m;", "auto t = clock::now();",
                     "auto t = std::chrono::steady_clock{};", "std::mutex m;", "std::thread t;", "std::atomic<int> a;",
                     "std::random_device d;", "int r = rand();", "std::cout << 1;", 'printf("x");', "spdlog::info(1);",
                     "#include <iostream>", "#include <mutex>", "#include <atomic>", "std::this_thread::yield();"]:
            with self.subTest(line):
                self.plant(in_protocol(line))
                found = self.found(check_text.check_protocols_are_pure)
                self.assertTrue(found)
                self.assertIn("actors/protocols/a.cpp:3: [pure]", found[0])

    def test_other_boxes_may_do_it(self):
        self.plant({"runtime/a.cpp": "#include <mutex>\nstd::mutex m;\n"})
        self.assert_clean(check_text.check_protocols_are_pure)


class Sleeps(PlantedCase):
    def test_tests_of_real_processes_may_sleep(self):
        self.plant({"tests/system/a_test.cpp": "std::this_thread::sleep_for(1s);\n", "runtime/a.cpp": "usleep(1);\n"})
        self.assert_clean(check_text.check_sleeps)

    def test_other_tests_may_not(self):
        for line in ["std::this_thread::sleep_for(1ms);", "usleep(5);", "::sleep(1);", "nanosleep(&t, nullptr);"]:
            with self.subTest(line):
                self.plant({"tests/wire/a_test.cpp": f"\n{line}\n"})
                self.assert_finds(check_text.check_sleeps, "tests/wire/a_test.cpp:2:")


class Leftovers(PlantedCase):
    def test_ordinary_text_passes(self):
        self.plant({"README.md": "mkstemp takes XXXX" "XX. See docs/work/plan, https://x.org/home/a and ~/work.\n"
                                 "`/usr/share/common-licenses/GPL-3`\n"})
        self.assert_clean(check_text.check_leftovers)

    def test_what_is_unfinished_is_found_in_comments_too(self):
        for word in ["TO" "DO", "FIX" "ME", "X" "XX"]:
            with self.subTest(word):
                self.plant({"run": f"true\n# {word}: later\n"})
                self.assert_finds(check_text.check_leftovers, "run:2:", word)

    def test_paths_of_one_machine_are_found(self):
        for path in ["/ho" "me/ada/muster", "/ro" "ot/x", "/tm" "p/out.json"]:
            with self.subTest(path):
                self.plant({"runtime/a.cpp": f'auto p = "{path}";\n'})
                self.assert_finds(check_text.check_leftovers, "runtime/a.cpp:1:", "one machine")


class Guards(PlantedCase):
    def test_a_guarded_header_passes(self):
        self.plant({"runtime/a.hpp": "// A thing.\n#pragma once\n", "runtime/a.cpp": "\n"})
        self.assert_clean(check_text.check_guards)

    def test_an_unguarded_header_is_found(self):
        self.plant({"runtime/a.hpp": "// #pragma once\n"})
        self.assert_finds(check_text.check_guards, "runtime/a.hpp")


if __name__ == "__main__":
    unittest.main()
