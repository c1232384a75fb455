import unittest

import check_length
from planted import PlantedCase

LONG = check_length.FUNCTION_LINES_MAX
LIST = check_length.EXCEPTIONS


def function(lines, head="int f(int a)"):
    return head + " {\n" + "  a++;\n" * (lines - 2) + "}\n"


class Lengths(PlantedCase):
    def test_short_files_and_functions_pass(self):
        self.plant({"runtime/a.cpp": "namespace muster {\n" + function(LONG) * 3 + "}\n"})
        self.assert_clean(check_length.check_lengths)

    def test_a_long_file_is_found(self):
        self.plant({"runtime/a.cpp": "int a;\n" * 501})
        self.assert_finds(check_length.check_lengths, "runtime/a.cpp:1:", "501 lines")

    def test_a_long_function_is_found_with_its_name_and_line(self):
        self.plant({"runtime/a.cpp": "namespace muster {\n\n" + function(LONG + 1, "void host::join(int a) const") + "}\n"})
        self.assert_finds(check_length.check_lengths, "runtime/a.cpp:3:", "'host::join'", str(LONG + 1))

    def test_an_exception_holds_exactly(self):
        self.plant({"runtime/a.cpp": function(LONG + 5), LIST: f"# why\nruntime/a.cpp f {LONG + 5}\n"})
        self.assert_clean(check_length.check_lengths)

    def test_an_exception_does_not_grow(self):
        self.plant({"runtime/a.cpp": function(LONG + 6), LIST: f"runtime/a.cpp f {LONG + 5}\n"})
        self.assert_finds(check_length.check_lengths, "grew to")

    def test_an_exception_shrinks_with_what_it_excuses(self):
        self.plant({"runtime/a.cpp": function(LONG + 4), LIST: f"runtime/a.cpp f {LONG + 5}\n"})
        self.assert_finds(check_length.check_lengths, f"lower {LONG + 5} to {LONG + 4}")

    def test_an_exception_goes_when_it_is_not_needed(self):
        self.plant({"runtime/a.cpp": function(9), LIST: f"runtime/a.cpp f {LONG + 5}\nruntime/gone.cpp lines 600\n"})
        found = self.found(check_length.check_lengths)
        self.assertEqual(len(found), 2, found)
        self.assertTrue(all("remove the line" in f for f in found), found)

    def test_an_exception_must_be_readable(self):
        self.plant({LIST: "runtime/a.cpp 600\n"})
        self.assert_finds(check_length.check_lengths, f"{LIST}:1:", "not PATH lines N")


class Functions(unittest.TestCase):
    def names(self, code):
        return [(name, lines) for name, _, lines in check_length.functions(code)]

    def test_are_found_in_classes_and_namespaces(self):
        self.assertEqual(self.names("namespace a {\nstruct b : c<int> {\n  int d() const {\n    return 1;\n  }\n  int e{};\n};\n}\n"), [("d", 3)])

    def test_hold_their_lambdas_and_blocks(self):
        self.assertEqual(self.names("int f() {\n  auto g = [&](int x) {\n    return x;\n  };\n  if (a) {\n  }\n}\n"), [("f", 7)])

    def test_may_initialise_members_with_braces(self):
        self.assertEqual(self.names("host::host(int a)\n    : a_{a}, b_{1} {\n  c();\n}\n"), [("host::host", 4)])

    def test_may_be_templates_and_operators(self):
        self.assertEqual(self.names("template <class T>\nT f(T t) {\n  return t;\n}\n"), [("f", 4)])
        self.assertEqual([n for n, _ in self.names("bool operator==(a x, a y) {\n  return 1;\n}\n")], ["operator=="])

    def test_of_googletest_have_its_names(self):
        self.assertEqual(self.names("TEST(RankSet, Merges) {\n  a();\n}\n"), [("RankSet.Merges", 3)])

    def test_are_not_confused_by_directives_and_macros(self):
        self.assertEqual(self.names("#if defined(A) && \\\n  defined(B)\n#endif\nALLOW(a::b)\nALLOW(c)\nnamespace d {\nint f() {\n}\n}\n"), [("f", 2)])

    def test_are_no_tables_or_enums(self):
        self.assertEqual(self.names("enum class e : int {\n  a,\n};\nconst int t[] = {\n  1,\n};\nconst auto m = std::map<int, int>({\n  {1, 2},\n});\n"), [])


if __name__ == "__main__":
    unittest.main()
