"""The script `run`, in a tree of its own whose tools are stand-ins."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ["bash", "env", "dirname", "readlink", "mkdir", "grep", "sed", "tail", "nproc", "rm", "sleep", "cat", "python3"]
WAIT_S = 30

MUSTER = """#!/usr/bin/env python3
import json, sys
words = sys.argv[1:]
hosts = int(words[words.index("--hosts") + 1])
out = words[words.index("--summary") + 1]
expected = words[words.index("--expect-digest") + 1] if "--expect-digest" in words else "d1"
loss = float(open("loss").read())
json.dump({"hosts": hosts, "devices": 8, "parameters": 60000, "digest": expected, "digest_at": 50,
           "held_out_loss": loss, "trigram_loss": 2.5}, open(out, "w"))
sys.exit(int(open("code").read()))
"""


class Run(unittest.TestCase):
    def setUp(self):
        self.tree = pathlib.Path(tempfile.mkdtemp(prefix="run-"))
        self.addCleanup(shutil.rmtree, self.tree)
        (self.tree / "bin").mkdir()
        (self.tree / "cmake").mkdir()
        shutil.copy(HERE / "run", self.tree)
        shutil.copy(HERE / "cmake/debian-packages.txt", self.tree / "cmake")
        for tool in TOOLS:
            (self.tree / "bin" / tool).symlink_to(shutil.which(tool))
        self.stand_in("bin/cmake", '#!/usr/bin/env bash\necho "-- CUDA: not found, building without it"\n')
        self.stand_in("bin/ninja", '#!/usr/bin/env bash\necho "ninja: $*"\n')
        self.stand_in("bin/ctest", '#!/usr/bin/env bash\necho "100% tests passed: $*"\n')

    def stand_in(self, path, text):
        full = self.tree / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text)
        full.chmod(0o755)

    def environment(self, **more):
        return {"PATH": str(self.tree / "bin"), "MUSTER_PACKAGES": "skip", **more}

    def run_it(self, *words, **more):
        return subprocess.run([self.tree / "run", *words], env=self.environment(**more), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=WAIT_S, check=False,
                              cwd=os.path.sep)

    def test_help_names_every_command(self):
        ran = self.run_it("help")
        self.assertEqual(ran.returncode, 0)
        for command in ["demo", "test", "build", "bench", "asan", "tsan", "soak", "format", "lint", "help"]:
            self.assertIn(command, ran.stdout)

    def test_help_behind_a_command_starts_nothing(self):
        for option in ["--help", "-h"]:
            ran = self.run_it("demo", option)
            self.assertEqual(ran.returncode, 0)
            self.assertIn("usage: ./run", ran.stdout)

    def test_an_unknown_command_is_refused(self):
        ran = self.run_it("tset")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("'tset'", ran.stdout)

    def test_test_builds_and_hands_its_options_to_ctest(self):
        ran = self.run_it("test", "-R", "wire")
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertIn("run: CUDA: not found, building without it", ran.stdout)
        self.assertIn("ninja: -C build -j", ran.stdout)
        self.assertTrue(ran.stdout.splitlines()[-1].endswith("-R wire"), ran.stdout)

    def test_a_failed_configuration_shows_its_log_and_its_code(self):
        self.stand_in("bin/cmake", "#!/usr/bin/env bash\necho no compiler\nexit 7\n")
        ran = self.run_it("test")
        self.assertEqual(ran.returncode, 7)
        self.assertIn("no compiler", ran.stdout)
        self.assertNotIn("ninja", ran.stdout)

    def test_a_failed_test_is_a_failed_run(self):
        self.stand_in("bin/ctest", "#!/usr/bin/env bash\nexit 8\n")
        self.assertEqual(self.run_it("test").returncode, 8)

    def test_without_apt_it_prints_the_list_and_ends(self):
        ran = self.run_it("build", MUSTER_PACKAGES="")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("libcaf-dev", ran.stdout)
        self.assertNotIn("libgloo-dev", ran.stdout)
        self.assertNotIn("ninja:", ran.stdout)

    def test_without_root_it_prints_what_is_missing_and_ends(self):
        self.stand_in("bin/apt-get", "#!/usr/bin/env bash\necho installed >apt-was-here\n")
        self.stand_in("bin/dpkg-query", "#!/usr/bin/env bash\nexit 1\n")
        self.tree.chmod(0o777)
        nobody = 65534 if os.geteuid() == 0 else None
        ran = subprocess.run([self.tree / "run", "test"], env=self.environment(MUSTER_PACKAGES=""), user=nobody,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             timeout=WAIT_S, check=False)
        self.assertEqual(ran.returncode, 2, ran.stdout)
        self.assertIn("only root can install them:\nrun:   apt-get install --no-install-recommends g++ ", ran.stdout)
        self.assertFalse((self.tree / "apt-was-here").exists())

    def test_where_it_cannot_write_it_says_so(self):
        (self.tree / "build").write_text("a file")
        ran = self.run_it("test")
        self.assertEqual(ran.returncode, 2, ran.stdout)
        self.assertIn("build/ can't be made in", ran.stdout)

    def test_what_is_missing_is_installed_and_asked_for_again_when_apt_fails(self):
        self.stand_in("bin/dpkg-query", '#!/usr/bin/env bash\n[[ ${!#} == patch ]] && echo not-installed || echo installed\n')
        self.stand_in("bin/dpkg", "#!/usr/bin/env bash\n")
        self.stand_in("bin/sudo", '#!/usr/bin/env bash\n[[ $1 == -n ]] && shift\nexec "$@"\n')
        (self.tree / "bin/true").symlink_to(shutil.which("true"))
        self.stand_in("bin/apt-get", f'#!/usr/bin/env bash\necho "$*" >>{self.tree}/asked\n[[ -e {self.tree}/once ]] || '
                                     f'{{ echo >{self.tree}/once; exit 100; }}\n')
        ran = self.run_it("build", MUSTER_PACKAGES="")
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertIn("installing 1 of", ran.stdout)
        self.assertIn("attempt 1 of 3 failed", ran.stdout)
        asked = (self.tree / "asked").read_text().splitlines()
        self.assertEqual([a.split()[-1] for a in asked], ["update", "update", "patch"])

    def test_a_signal_ends_all_that_runs(self):
        self.stand_in("bin/ninja", f"#!/usr/bin/env bash\nsleep 1000 &\necho $! >{self.tree}/pid\nwait\n")
        ran = subprocess.Popen([self.tree / "run", "build"], env=self.environment(), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pid = self.wait_for(lambda: (self.tree / "pid").exists() and (self.tree / "pid").read_text().strip())
        ran.send_signal(signal.SIGTERM)
        self.assertEqual(ran.wait(timeout=WAIT_S), 128 + signal.SIGTERM)
        self.wait_for(lambda: self.is_gone(pid))

    @staticmethod
    def is_gone(pid):
        try:
            return "(sleep) Z" in pathlib.Path(f"/proc/{pid}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return True

    def wait_for(self, condition):
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            if value := condition():
                return value
            time.sleep(0.02)
        return self.fail("it did not happen in time")

    # ---- the demo

    def demo(self, loss=2.4, code=0):
        self.stand_in("build/runtime/command/muster", MUSTER)
        (self.tree / "loss").write_text(str(loss))
        (self.tree / "code").write_text(str(code))
        (self.tree / "text").write_text("To be or not to be")
        return self.run_it("demo", str(self.tree / "text"))

    def test_a_good_demo_ends_with_ok(self):
        ran = self.demo()
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertRegex(ran.stdout.splitlines()[-1], r"^demo: ok: .*2\.400.*2\.500.*4 hosts.*digest d1")

    def test_a_demo_that_did_not_learn_fails(self):
        ran = self.demo(loss=2.6)
        self.assertEqual(ran.returncode, 1)
        self.assertTrue(ran.stdout.splitlines()[-1].startswith("demo: failed: held-out loss 2.600"), ran.stdout)

    def test_a_demo_whose_program_fails_fails(self):
        ran = self.demo(code=66)
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(ran.stdout.splitlines()[-1], "demo: failed: the reference run ended with 66")

    def test_a_demo_without_its_text_fails(self):
        ran = self.run_it("demo", "no-such-text")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("demo: failed: FILE is", ran.stdout)


if __name__ == "__main__":
    unittest.main()
