// `muster run` with real processes: what a person sees of it, and what is left behind.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/tests/system/muster_process.hpp>

namespace muster {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::ptrdiff_t lines_of(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST(Launcher, TellsEachHostWhoItIsAndPrefixesItsLines) {
  auto run = run_script(
      {"--hosts", "3", "--devices", "cpu:2", "--job", "j1"},
      "echo $MUSTER_JOB $MUSTER_RANK of $MUSTER_WORLD_SIZE, $MUSTER_DEVICES, $MUSTER_TERMINAL");
  EXPECT_EQ(run.exit_code, 0);
  for (auto* line :
       {"[0] j1 0 of 3, cpu:2, 0\n", "[1] j1 1 of 3, cpu:2, 0\n", "[2] j1 2 of 3, cpu:2, 0\n"})
    EXPECT_THAT(run.output, HasSubstr(line));
  EXPECT_THAT(run.errors, StartsWith("muster: 3 hosts x 2 devices, job j1\n"));
  EXPECT_THAT(run.errors, HasSubstr("muster: all 3 hosts ended well after "));
}

TEST(Launcher, KeepsOutputAndErrorsApart) {
  auto run = run_script({"--hosts", "1", "--no-prefix"}, "echo out; echo err >&2");
  EXPECT_EQ(run.output, "out\n");
  EXPECT_THAT(run.errors, HasSubstr("\nerr\n"));
}

TEST(Launcher, GivesEachWorldItsOwnSecret) {
  auto one = run_script({"--hosts", "1", "--no-prefix"}, "echo $MUSTER_CREDENTIAL $MUSTER_JOB");
  auto other = run_script({"--hosts", "1", "--no-prefix"}, "echo $MUSTER_CREDENTIAL $MUSTER_JOB");
  EXPECT_GT(one.output.size(), 32u);
  EXPECT_NE(one.output, other.output);
  EXPECT_THAT(one.errors, Not(HasSubstr(one.output.substr(0, 32))));
}

TEST(Launcher, LetsNoHostReadTheTerminal) {
  EXPECT_EQ(run_script({"--hosts", "1", "--no-prefix"}, "cat; echo end").output, "end\n");
}

TEST(LauncherExitCode, IsThatOfTheFirstFailure) {
  auto run = run_script({"--hosts", "2"}, "[ $MUSTER_RANK = 1 ] && exit 7; exec sleep 1000");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.errors,
              HasSubstr("muster: host 1 ended with exit code 7\nmuster: stopping the others\n"));
  EXPECT_THAT(run.errors, HasSubstr("muster: host 1 ended with exit code 7 after "));
}

TEST(LauncherExitCode, NamesAStatusOfMuster) {
  auto run = run_script({"--hosts", "1"}, "exit 67");
  EXPECT_EQ(run.exit_code, 67);
  EXPECT_THAT(run.errors, HasSubstr("exit code 67 (deadline_exceeded)"));
}

TEST(LauncherExitCode, Is128PlusTheSignal) {
  auto run = run_script({"--hosts", "2"}, "[ $MUSTER_RANK = 0 ] && kill -SEGV $$; exec sleep 1000");
  EXPECT_EQ(run.exit_code, 128 + SIGSEGV);
  EXPECT_THAT(run.errors, HasSubstr("host 0 ended with signal 11 (SIGSEGV)"));
}

TEST(LauncherExitCode, IsTheFailuresEvenWhenTheOthersEndWell) {
  auto run = run_script({"--hosts", "3", "--on-failure", "wait"},
                        "[ $MUSTER_RANK = 2 ] && exit 9; echo done");
  EXPECT_EQ(run.exit_code, 9);
  EXPECT_THAT(run.output, AllOf(HasSubstr("[0] done\n"), HasSubstr("[1] done\n")));
}

TEST(LauncherExitCode, Is127ForAProgramThatIsNotThere) {
  auto run = run_muster({"run", "--hosts", "2", "--", "no-such-trainer"});
  EXPECT_EQ(run.exit_code, 127);
  EXPECT_EQ(run.errors, "muster: there is no program 'no-such-trainer' in PATH\n");
  EXPECT_EQ(run_muster({"run", "--hosts", "2", "--", "./no-such-trainer"}).exit_code, 127);
}

TEST(LauncherExitCode, Is126ForAFileThatIsNoProgram) {
  auto run = run_muster({"run", "--hosts", "2", "--", "/etc/passwd"});
  EXPECT_EQ(run.exit_code, 126);
  EXPECT_EQ(run.errors, "muster: '/etc/passwd' is not an executable file\n");
}

TEST(LauncherExitCode, Is124AtTheTimeOut) {
  auto run = run_script({"--hosts", "2", "--timeout", "100ms"}, "exec sleep 1000");
  EXPECT_EQ(run.exit_code, 124);
  EXPECT_THAT(run.errors, HasSubstr("muster: stopped at the time-out of 100 ms after "));
}

TEST(LauncherExitCode, Is65ForWrongOptions) {
  auto run = run_muster({"run", "--hosts", "0", "--grace", "5", "--", "true"});
  EXPECT_EQ(run.exit_code, 65);
  EXPECT_THAT(
      run.errors,
      HasSubstr(
          "--hosts is '0': it must be a whole number from 1 to 512; --grace is '5': it must be"));
  EXPECT_THAT(run_muster({"run", "--hosts", "2"}).errors,
              HasSubstr("there is no program: it comes after --"));
  EXPECT_EQ(run_muster({"run", "--frob"}).exit_code, 65);
  EXPECT_EQ(run_muster({}).exit_code, 65);
}

TEST(LauncherHelp, SaysWhatThereIs) {
  EXPECT_THAT(run_muster({"--help"}).output, HasSubstr("run"));
  EXPECT_THAT(run_muster({"--version"}).output, StartsWith("muster "));
  auto help = run_muster({"run", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (auto* option : {"--hosts", "--devices", "--job", "--on-failure", "--grace", "--drain",
                       "--timeout", "--no-prefix", "-- PROGRAM", "500ms", "Exit code"})
    EXPECT_THAT(help.output, HasSubstr(option));
}

TEST(LauncherSignals, ArePassedOnToWholeGroups) {
  muster_process run(script_arguments(
      {"--hosts", "2"}, "trap 'echo got TERM; exit 0' TERM; echo up; while :; do sleep 0.1; done"));
  ASSERT_TRUE(run.prints("[0] up") && run.prints("[1] up"));
  run.send(SIGTERM);
  auto end = run.finish();
  EXPECT_EQ(end.exit_code, 0) << "whoever ends well after a signal has not failed";
  EXPECT_THAT(end.output, AllOf(HasSubstr("[0] got TERM"), HasSubstr("[1] got TERM")));
  EXPECT_THAT(end.errors, HasSubstr("muster: SIGTERM: all 2 hosts ended well"));
}

TEST(LauncherSignals, EndARunAsTheyEndTheHosts) {
  muster_process run(script_arguments({"--hosts", "2"}, "echo up; exec sleep 1000"));
  ASSERT_TRUE(run.prints("[0] up") && run.prints("[1] up"));
  run.send(SIGINT);
  EXPECT_EQ(run.finish().exit_code, 128 + SIGINT);
}

TEST(LauncherSignals, KillTheSecondTime) {
  muster_process run(
      script_arguments({"--hosts", "2"}, "trap '' INT; echo up; while :; do sleep 1000; done"));
  ASSERT_TRUE(run.prints("[0] up") && run.prints("[1] up"));
  run.send(SIGINT);
  ASSERT_TRUE(run.prints("once more kills them"));
  run.send(SIGINT);
  auto end = run.finish();
  EXPECT_EQ(end.exit_code, 128 + SIGINT) << "by us, for the signal's sake";
  EXPECT_THAT(end.errors, HasSubstr("SIGINT again: killing the hosts"));
  EXPECT_THAT(end.errors, HasSubstr("SIGINT: 2 hosts killed after"));
}

TEST(LauncherSignals, KillWhenTheDrainIsOver) {
  muster_process run(script_arguments({"--hosts", "1", "--drain", "100ms"},
                                      "trap '' TERM; echo up; while :; do sleep 1000; done"));
  ASSERT_TRUE(run.prints("[0] up"));
  run.send(SIGTERM);
  EXPECT_EQ(run.finish().exit_code, 128 + SIGTERM);
}

/// A named pipe, by which one host of a script waits for another.
struct named_pipe {
  std::string path = testing::TempDir() + "launcher_test_" + std::to_string(getpid());
  named_pipe() { mkfifo(path.c_str(), 0600); }
  ~named_pipe() { unlink(path.c_str()); }
};

TEST(LauncherStop, KillsWhoIgnoresSigtermAfterTheGracePeriod) {
  named_pipe ready;
  auto run = run_script({"--hosts", "2", "--grace", "100ms"},
                        "trap '' TERM; [ $MUSTER_RANK = 1 ] && read line < " + ready.path +
                            " && exit 3; echo > " + ready.path + "; while :; do sleep 1000; done");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.errors, HasSubstr("didn't end in time: killing them"));
}

TEST(LauncherOutput, KeepsTheLastLinesOfWhoeverFails) {
  for (int i = 0; i < 5; ++i) {
    auto run = run_script({"--hosts", "2"}, "seq 1 20000; printf 'no line end'; kill -KILL $$");
    EXPECT_EQ(run.exit_code, 128 + SIGKILL);
    EXPECT_THAT(run.output, HasSubstr("] 20000\n"));
    EXPECT_THAT(run.output, HasSubstr("] no line end\n"));
  }
}

TEST(LauncherOutput, LetsEveryHostSayWhyItFailed) {
  named_pipe pipe;
  auto run = run_script({"--hosts", "2"}, "[ $MUSTER_RANK = 1 ] && echo > " + pipe.path +
                                              " && exit 5; read line < " + pipe.path +
                                              "; echo so do I; exit 5");
  EXPECT_THAT(run.output, HasSubstr("[0] so do I\n"));
  EXPECT_THAT(run.errors, HasSubstr("2 of 2 hosts failed"));
}

TEST(LauncherOutput, PassesTenMegabytesOnWhole) {
  auto run = run_script({"--hosts", "2"},
                        "yes 0123456789012345678901234567890123456789012345678 | head -c 5000000");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(lines_of(run.output), 200'000);
  EXPECT_EQ(run.output.size(), 10'000'000u + 200'000 * 4);
}

// A sanitizer keeps what was freed, and more beside it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t little_mb = 400;
#else
constexpr std::size_t little_mb = 32;
#endif

TEST(LauncherOutput, HoldsLittleOfTwoHundredMegabytesThatAreReadLate) {
  muster_process run(script_arguments(
      {"--hosts", "2"},
      "yes 0123456789012345678901234567890123456789012345678 | head -c 100000000; echo end; "
      "exec sleep 1000"));
  ASSERT_TRUE(run.prints("[0] 0") && run.prints("[1] 0"));
  const auto before = memory_peak_mb(run.pid());
  ASSERT_TRUE(becomes(run.pid(), 'S')) << "it waits for its reader";
  ASSERT_TRUE(run.prints("[0] end\n") && run.prints("[1] end\n"));
  EXPECT_LT(memory_peak_mb(run.pid()), before + little_mb);
  run.send(SIGTERM);
  EXPECT_EQ(lines_of(run.finish().output), 2 * (2'000'000 + 1));
}

TEST(LauncherOutput, LeavesTheBytesOfALoneHostAsTheyAre) {
  auto run = run_script({"--hosts", "1", "--no-prefix"},
                        "head -c 1000000 /dev/zero | tr '\\0' x; printf '\\001\\377'");
  EXPECT_EQ(run.output.size(), 1'000'002u);
  EXPECT_THAT(run.output, EndsWith("x\001\377"));
}

TEST(LauncherOutput, EndsTheRunWhenNobodyReadsIt) {
  muster_process run(script_arguments({"--hosts", "2"}, "echo up; yes"));
  ASSERT_TRUE(run.prints("[0] up"));
  run.stop_reading();
  auto end = run.finish();
  EXPECT_EQ(end.exit_code, 128 + SIGPIPE);
  EXPECT_THAT(end.errors, HasSubstr("nobody reads standard output any more"));
}

/// The number of a process that a host started; its end is what these tests are about.
pid_t number(const std::string& text) { return text.empty() ? 0 : std::stoi(text); }

TEST(LauncherLeavesNothingBehind, NotEvenADaemonOfAHost) {
  muster_process run(script_arguments({"--hosts", "1", "--no-prefix"},
                                      "sh -c 'trap \"\" TERM; echo child=$$; exec sleep 1000' & "
                                      "(setsid sh -c 'echo daemon=$$; exec sleep 1000' &);"
                                      "trap 'exit 0' TERM; wait"));
  ASSERT_TRUE(run.prints("child=") && run.prints("daemon="));
  run.send(SIGTERM);
  EXPECT_EQ(run.finish().exit_code, 0);
  ASSERT_NE(number(run.value_of("child")), 0);
  EXPECT_FALSE(is_running(number(run.value_of("child"))));
  ASSERT_NE(number(run.value_of("daemon")), 0);
  EXPECT_FALSE(is_running(number(run.value_of("daemon"))));
}

/// Whether any process is left in this group.
bool is_empty(pid_t group) { return kill(-group, 0) != 0 && errno == ESRCH; }

TEST(LauncherLeavesNothingBehind, InTheGroupsOfHostsThatIgnoreEverySignal) {
  muster_process run(script_arguments(
      {"--hosts", "2", "--grace", "100ms"},
      "trap '' INT TERM HUP; [ $MUSTER_RANK = 0 ] || exec sh -c 'echo other=$$; sleep 1000 & wait';"
      "sleep 1000 & echo group=$$; while :; do sleep 1000; done"));
  ASSERT_TRUE(run.prints("group=") && run.prints("other="));
  run.send(SIGINT);
  ASSERT_TRUE(run.prints("once more kills them"));
  run.send(SIGINT);
  EXPECT_EQ(run.finish().exit_code, 128 + SIGINT);
  for (auto* name : {"group", "other"}) {
    ASSERT_NE(number(run.value_of(name)), 0);
    EXPECT_TRUE(is_empty(number(run.value_of(name)))) << name;
  }
}

TEST(LauncherLeavesNothingBehind, WhenAHostThatIgnoresSigtermIsStoppedAfterAFailure) {
  named_pipe ready;
  muster_process run(script_arguments({"--hosts", "2", "--grace", "100ms"},
                                      "trap '' TERM; [ $MUSTER_RANK = 1 ] && read line < " +
                                          ready.path + " && exit 3; echo host=$$;" + "echo > " +
                                          ready.path + "; while :; do sleep 1000; done"));
  ASSERT_TRUE(run.prints("host="));
  EXPECT_EQ(run.finish().exit_code, 3);
  ASSERT_NE(number(run.value_of("host")), 0);
  EXPECT_TRUE(is_empty(number(run.value_of("host"))));
}

TEST(LauncherLeavesNothingBehind, WhenItIsKilled) {
  muster_process run(
      script_arguments({"--hosts", "1", "--no-prefix"}, "echo host=$$; exec sleep 1000"));
  ASSERT_TRUE(run.prints("host=") && run.prints("\n"));
  run.send(SIGKILL);
  run.finish();
  EXPECT_TRUE(stops_running(number(run.value_of("host"))));
}

TEST(LauncherOnATerminal, KeepsTheFirstHostsLastLineLive) {
  muster_process run(
      script_arguments(
          {"--hosts", "2", "--job", "j"},
          "trap 'exit 0' TERM; printf '\\rstep %s%s of 2' $MUSTER_TERMINAL $MUSTER_RANK; "
          "[ $MUSTER_RANK = 1 ] && echo && echo other; while :; do sleep 1; done"),
      on::terminal);
  ASSERT_TRUE(run.prints("step 10 of 2"));
  ASSERT_TRUE(run.prints("[1] step 01 of 2\r\n")) << "whoever isn't watched prints whole lines";
  run.send(SIGTERM);
  auto end = run.finish();
  EXPECT_THAT(end.output, HasSubstr("\r\x1b[K"));
  EXPECT_THAT(end.output, HasSubstr("[0] step 10 of 2\r\n")) << "its last state stays";
}

TEST(LauncherOnATerminal, HearsSignalsWhileItsOutputIsStopped) {
  muster_process run(script_arguments({"--hosts", "1"}, "echo up; exec yes"), on::terminal);
  ASSERT_TRUE(run.prints("[0] up"));
  run.stop_terminal();
  run.send(SIGINT);
  run.send(SIGTERM);
  EXPECT_TRUE(run.ends()) << "interrupted twice";
}

TEST(LauncherOnATerminal, StopsAndContinuesTheHostsWithItself) {
  muster_process run(
      script_arguments({"--hosts", "1", "--no-prefix"}, "echo host=$$; exec sleep 1000"));
  ASSERT_TRUE(run.prints("host=") && run.prints("\n"));
  const auto host = number(run.value_of("host"));
  run.send(SIGTSTP);
  EXPECT_TRUE(becomes(host, 'T'));
  EXPECT_TRUE(becomes(run.pid(), 'T'));
  run.send(SIGCONT);
  EXPECT_TRUE(becomes(host, 'S'));
  run.send(SIGTERM);
  EXPECT_EQ(run.finish().exit_code, 128 + SIGTERM);
}

}  // namespace
}  // namespace muster
