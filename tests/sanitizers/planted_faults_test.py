"""Plants one fault after another and looks for the sanitizer's report of it.

usage: planted_faults_test.py PROGRAM SANITIZERS

The options, and with them the suppressions, are those of this process's environment, as for every other test.
"""

import subprocess
import sys
import unittest

PROGRAM = ""
SANITIZERS: set[str] = set()

# fault: the sanitizer that must find it, and what its report says.
FAULTS = {
    "race_in_handler": ("thread", "data race"),
    "race_of_handlers": ("thread", "data race"),
    "race_in_kernel": ("thread", "data race"),
    "heap_overflow": ("address", "heap-buffer-overflow"),
    "use_after_free": ("address", "heap-use-after-free"),
    "leak": ("address", "detected memory leaks"),
    "signed_overflow": ("undefined", "signed integer overflow"),
}


def run(fault: str) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, fault], capture_output=True, text=True, timeout=120)


class PlantedFaults(unittest.TestCase):
    def test_a_program_without_a_fault_ends_well(self):
        ended = run("none")
        self.assertEqual((ended.returncode, ended.stdout), (0, "ended\n"), ended.stderr)
        self.assertEqual(ended.stderr, "")

    def test_every_fault_of_this_build_is_reported(self):
        looked_for = [f for f, (sanitizer, _) in FAULTS.items() if sanitizer in SANITIZERS]
        self.assertTrue(looked_for, f"no fault is planted for {sorted(SANITIZERS)}")
        for fault in looked_for:
            with self.subTest(fault):
                ended = run(fault)
                self.assertIn(FAULTS[fault][1], ended.stderr)
                self.assertNotEqual(ended.returncode, 0)


if __name__ == "__main__":
    PROGRAM, SANITIZERS = sys.argv[1], set(sys.argv[2].split(","))
    unittest.main(argv=sys.argv[:1])
