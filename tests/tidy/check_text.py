"""Words that must not stand where they stand."""

import re

from house import Violation

# ---- protocols are pure: no clock, thread, chance, order of addresses or output of their own

IMPURE = [
    (r"\bunordered_\w+", "an unordered container: its order differs from run to run"),
    (r"\b(?:map|set|multimap|multiset)\s*<\s*(?:const\s+)?[\w:]+\s*(?:<[^<>]*>)?\s*(?:const\s*)?\*",
     "a container keyed by pointers: its order differs from run to run"),
    (r"\b(?:map|set|multimap|multiset)\s*<\s*(?:std::)?(?:shared|unique)_ptr\b",
     "a container keyed by pointers: its order differs from run to run"),
    (r"\w*::now\b|\b\w+_clock\b|\b(?:clock_)?gettime(?:ofday)?\b|\bstd::time\b", "a clock: time is an argument"),
    (r"\bstd::(?:this_thread|j?thread|async|future|promise|\w*mutex|condition_variable\w*|atomic\w*|call_once"
     r"|lock_guard|unique_lock|scoped_lock|latch|barrier|counting_semaphore|binary_semaphore)\b"
     r"|\bthread_local\b|\bvolatile\b", "threads: a core is used by one at a time"),
    (r"\brandom_device\b|\bmt19937\w*|\b\w+_engine\b|\b\w+_distribution\b|\bs?rand\s*\(", "chance: it is an input"),
    (r"\bstd::(?:cout|cerr|clog|cin|print\w*)\b|\b(?:f|s|sn)?printf\s*\(|\bputs\s*\(|\bspdlog\b|\bfmt::print\b",
     "output: effects are the only way out"),
    (r"\bgetenv\b", "the environment: options are an argument"),
]
IMPURE_HEADERS = {
    "iostream", "fstream", "ostream", "istream", "cstdio", "print", "syncstream", "filesystem", "thread", "mutex",
    "shared_mutex", "condition_variable", "atomic", "future", "semaphore", "latch", "barrier", "stop_token", "random",
    "unordered_map", "unordered_set", "ctime", "cstdlib",
}


def check_protocols_are_pure(house):
    for file in house.sources:
        if not file.path.startswith("actors/protocols/"):
            continue
        yield from matches(file, IMPURE, "pure")
        for line, _, name in file.includes:
            if name in IMPURE_HEADERS:
                yield Violation(file.path, line, "pure", f"<{name}> is not for a protocol")


def matches(file, patterns, check):
    for pattern, why in patterns:
        for match in re.finditer(pattern, file.code):
            yield Violation(file.path, line_of(file.code, match), check, f"'{match.group(0).strip()}': {why}")


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


# ---- no test waits by the wall's clock

SLEEP = [(r"\b(?:sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep)\b|\bsleep\s*\(",
          "a sleep: time is virtual outside tests/system and tests/bench")]


def check_sleeps(house):
    for file in house.sources:
        if file.path.startswith("tests/") and not file.path.startswith(("tests/system/", "tests/bench/")):
            yield from matches(file, SLEEP, "sleep")


# ---- nothing unfinished, nothing of one machine; in all files, comments and literals included

UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b")
MACHINE = re.compile(r"(?<![\w.$}~-])/(?:work|home|root|Users|tm" r"p)/[\w.]")
NOT_TEXT = {".png", ".gz", ".bin", ".ico"}


def check_leftovers(house):
    for file in house.files:
        if file.suffix in NOT_TEXT or file.path == "LICENSE":
            continue
        for match in UNFINISHED.finditer(file.text):
            yield Violation(file.path, line_of(file.text, match), "leftover", f"'{match.group(0)}': finish it or file it")
        for match in MACHINE.finditer(file.text):
            yield Violation(file.path, line_of(file.text, match), "leftover", f"'{match.group(0)}...': a path of one machine")


# ---- headers

def check_guards(house):
    for file in house.sources:
        if file.is_header and not re.search(r"^#pragma once$", file.text, re.MULTILINE):
            yield Violation(file.path, 1, "guard", "a header begins with #pragma once")
