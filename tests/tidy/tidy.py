"""tidy: the walls of the house, checked. Prints what breaks a rule, a line each, and exits with 1 if anything does.

    tidy.py ROOT BUILD    ROOT is a checkout, BUILD a configured build folder of it
"""

import sys
import time

import check_build
import check_documents
import check_headers
import check_layers
import check_length
import check_text
from house import House

CHECKS = [
    check_layers.check_chain,
    check_layers.check_named_libraries,
    check_layers.check_reached_libraries,
    check_headers.check_self_contained,
    check_text.check_protocols_are_pure,
    check_text.check_sleeps,
    check_text.check_leftovers,
    check_text.check_guards,
    check_length.check_lengths,
    check_documents.check_seams,
    check_documents.check_shown_code,
    check_documents.check_links,
    check_build.check_packages,
    check_build.check_sources_are_built,
    check_build.check_tests_are_run,
]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    house = House(*sys.argv[1:])
    if not (house.build / "compile_commands.json").exists():
        sys.exit(f"tidy: BUILD is '{house.build}': not a configured build folder")
    found = []
    for check in CHECKS:
        started = time.monotonic()
        here = list(check(house))
        found += here
        print(f"tidy: {check.__name__}: {len(here) or 'clean'} ({time.monotonic() - started:.1f} s)")
    for violation in sorted(set(found)):
        print(violation)
    print(f"tidy: {len(found)} violations in {len(house.files)} files")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
