import unittest

import coverage

HEAD = "| row | test |\n|---|---|\n"


class Tables(unittest.TestCase):
    def found(self, *rows, tests=("A.B",)):
        return list(coverage.check({"t.md": HEAD + "".join(row + "\n" for row in rows)}, set(tests)))

    def test_a_test_or_a_reason_passes(self):
        self.assertEqual(self.found("| x 1 | A.B |", "| x 2 | A.B |", "| x 3 | rejected: no such thing. |"), [])

    def test_a_test_that_is_not_built_is_found(self):
        self.assertIn("names A.C", self.found("| x | A.C |")[0])

    def test_two_tests_of_a_row_are_found(self):
        self.assertIn("one Suite.Name", self.found("| x | A.B, A.B |")[0])

    def test_neither_test_nor_reason_is_found(self):
        self.assertIn("one Suite.Name", self.found("| x |  |")[0])
        self.assertIn("without a reason", self.found("| x | rejected: |")[0])

    def test_a_missing_row_name_or_cell_is_found(self):
        self.assertIn("names no row", self.found("|  | A.B |")[0])
        self.assertIn("3 cells", self.found("| x | A.B | y |")[0])

    def test_a_bar_in_a_cell_is_escaped(self):
        self.assertEqual(self.found(r"| x\|y | A.B |"), [])

    def test_a_duplicate_names_both_places(self):
        self.assertEqual(self.found("| x | A.B |", "| x | A.B |"), ["t.md:4: 'x' is at t.md:3 already"])

    def test_a_duplicate_in_another_table_is_found(self):
        both = {"a.md": HEAD + "| x | A.B |\n", "b.md": HEAD + "| x | A.B |\n"}
        self.assertEqual(list(coverage.check(both, {"A.B"})), ["b.md:3: 'x' is at a.md:3 already"])

    def test_an_empty_table_is_found(self):
        self.assertEqual(self.found(), ["t.md: has no rows"])


class Listings(unittest.TestCase):
    def test_names_are_joined_and_comments_left_out(self):
        listing = "Running main() from gmock_main.cc\nA.\n  B\n  C\nP/Q.\n  D/0  # GetParam() = 4\n"
        self.assertEqual(list(coverage.tests_listed(listing)), ["A.B", "A.C", "P/Q.D/0"])


if __name__ == "__main__":
    unittest.main()
