#include <muster/examples/train_text/console.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

namespace train_text {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct watched {
  explicit watched(bool live, std::uint32_t rank = 0) : to(out, live, [this] { return now; }) {
    run_facts run;
    run.rank = rank;
    run.hosts = 4;
    run.devices = 8;
    run.steps = 1'000;
    run.epoch_steps = 495;
    run.parameters = 64'596;
    run.vocabulary = 76;
    run.trigram_loss = 2.5758;
    to.began(run);
  }
  std::string taken() {
    const std::string text = out.str();
    out.str("");
    return text;
  }

  muster::time_point now{};
  std::ostringstream out;
  console to;
};

TEST(Console, BeginsWithWhatIsTrainedOnWhat) {
  watched w(false);
  const std::string text = w.taken();
  EXPECT_THAT(text, HasSubstr("4 hosts with 8 devices: 1,000 steps of 64 samples"));
  EXPECT_THAT(text, HasSubstr("64,596 parameters"));
  EXPECT_THAT(text, HasSubstr("2.576 nats"));
}

TEST(Console, ShowsStepLossTokensPerSecondAndTimeLeft) {
  watched w(false);
  w.taken();
  w.now += 10s;
  w.to.stepped(250, 2.25);
  EXPECT_EQ(w.taken(), "step 250 of 1000, loss 2.250, 1,600 tokens/s, 30 s left\n");
}

TEST(Console, PrintsPlainLinesRarelyAndTheLastStepAlways) {
  watched w(false);
  w.taken();
  w.now += 1s;
  w.to.stepped(1, 4.0);
  EXPECT_THAT(w.taken(), IsEmpty());
  w.now += 1s;
  w.to.stepped(2, 4.0);
  EXPECT_THAT(w.taken(), StartsWith("step 2 of"));
  w.to.stepped(1'000, 2.0);
  EXPECT_THAT(w.taken(), EndsWith(" 0 s left\n"));
}

TEST(Console, ReplacesItsLiveLineAndClearsItBeforeOtherLines) {
  watched w(true);
  w.taken();
  w.now += 1s;
  w.to.stepped(1, 4.0);
  const std::string live = w.taken();
  EXPECT_THAT(live, StartsWith("\rstep 1 of 1000"));
  EXPECT_THAT(live, Not(HasSubstr("\n")));
  w.to.epoch_closed(1, 495, 2.5);
  EXPECT_EQ(w.taken(), "\r" + std::string(live.size() - 1, ' ') +
                           "\repoch 1 closed after step 495: held-out loss 2.500\n");
}

TEST(Console, SaysWhenTheLastEpochWasCutShort) {
  watched w(false);
  w.taken();
  w.to.epoch_closed(3, 1'000, 2.5);
  EXPECT_EQ(w.taken(), "epoch 3 closed after step 1000, cut short: held-out loss 2.500\n");
}

TEST(Console, OfAnotherRankTellsOfItsDevicesOnly) {
  watched w(false, 2);
  w.now += 10s;
  w.to.stepped(250, 2.25);
  w.to.compared(50, "d");
  w.to.epoch_closed(1, 495, 2.5);
  EXPECT_THAT(w.taken(), IsEmpty());
  train_summary end;
  end.devices = {{4, "cpu", 3'005, 1'234'567, 1'500ms}};
  w.to.ended(end);
  EXPECT_EQ(w.taken(), "device 4 (cpu): 3,005 launches, 1.2 MB reduced, busy 1.5 s\n");
}

TEST(Console, KnowsHowFastTheTrainingWas) {
  watched w(false);
  w.now += 4s;
  w.to.stepped(100, 2.0);
  w.now += 100s;
  EXPECT_EQ(w.to.seconds_trained(), 4.0);
  EXPECT_EQ(w.to.tokens_per_second(), 1'600.0);
}

TEST(SecondsText, RoundsUp) {
  EXPECT_EQ(seconds_text(0s), "0 s");
  EXPECT_EQ(seconds_text(1ms), "1 s");
  EXPECT_EQ(seconds_text(59'001ms), "1 min 0 s");
  EXPECT_EQ(seconds_text(3min + 5s), "3 min 5 s");
}

TEST(Grouped, SeparatesThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
}

TEST(Quoted, KeepsLinesAndDropsWhatATerminalWouldObey) {
  EXPECT_EQ(quoted("a\nb\x1b[2Jc\r\x7f"), "  | a\n  | b[2Jc");
}

}  // namespace
}  // namespace train_text
