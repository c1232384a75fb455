import unittest

import check_documents
from planted import PlantedCase

HEAD = "| seam | interface | production | simulation |\n| --- | --- | --- | --- |\n"


def row(seam):
    name = seam.replace(" ", "_")
    return f"| {seam} | `a/{name}.hpp` | `a/real/{name}.cpp` | `a/simulated/{name}.cpp`, in words |\n"


class Seams(PlantedCase):
    def setUp(self):
        super().setUp()
        for seam in check_documents.SEAMS:
            name = seam.replace(" ", "_")
            self.plant({f"a/{name}.hpp": "", f"a/real/{name}.cpp": "", f"a/simulated/{name}.cpp": ""})

    def document(self, rows):
        self.plant({"ARCHITECTURE.md": "# Architecture\n\n" + HEAD + "".join(rows) + "\n| other | table |\n"})

    def test_six_with_two_sides_each_pass(self):
        self.document(map(row, check_documents.SEAMS))
        self.assert_clean(check_documents.check_seams)

    def test_a_seam_that_nothing_crosses_yet_may_say_so(self):
        rows = [row(s) for s in check_documents.SEAMS[:5]] + ["| storage | not crossed yet | checkpoints will | |\n"]
        self.document(rows)
        self.assert_clean(check_documents.check_seams)

    def test_a_missing_seam_is_found(self):
        self.document(map(row, check_documents.SEAMS[1:]))
        self.assert_finds(check_documents.check_seams, "not the six")

    def test_a_seventh_seam_is_found(self):
        self.document([*map(row, check_documents.SEAMS), row("transport")])
        self.assert_finds(check_documents.check_seams, "not the six")

    def test_an_implementation_that_is_not_there_is_found(self):
        (self.root / "a/simulated/executor.cpp").unlink()
        self.document(map(row, check_documents.SEAMS))
        self.assert_finds(check_documents.check_seams, "'executor' names a/simulated/executor.cpp, which is not there")

    def test_a_seam_with_one_side_is_found(self):
        rows = [row(s) for s in check_documents.SEAMS]
        rows[0] = "| transport | `a/transport.hpp` | `a/real/transport.cpp` | none |\n"
        self.document(rows)
        self.assert_finds(check_documents.check_seams, "no path for its simulation")

    def test_a_missing_page_is_found(self):
        self.assert_finds(check_documents.check_seams, "is not there")


class ShownCode(PlantedCase):
    def test_of_an_example_passes(self):
        self.plant({"README.md": "```cpp\nint main() {}\n```\n\n```sh\n./run\n```\n", "examples/a.cpp": "// why\nint main() {}\n"})
        self.assert_clean(check_documents.check_shown_code)

    def test_of_nobody_is_found(self):
        self.plant({"README.md": "text\n```cpp\nint main() { }\n```\n", "examples/a.cpp": "int main() {}\n"})
        self.assert_finds(check_documents.check_shown_code, "README.md:2:", "nobody compiles it")


class Links(PlantedCase):
    def test_that_lead_somewhere_pass(self):
        self.plant({"docs/a.md": "[b](b.md) [c](../LICENSE#x) [d](https://x.org/y)\n", "docs/b.md": "", "LICENSE": ""})
        self.assert_clean(check_documents.check_links)

    def test_that_lead_nowhere_are_found(self):
        self.plant({"docs/a.md": "\n[b](b.md)\n"})
        self.assert_finds(check_documents.check_links, "docs/a.md:2:", "b.md is not there")


if __name__ == "__main__":
    unittest.main()
