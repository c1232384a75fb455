// Messages: what a link carries, in which order, how much, and what it makes of nonsense.
#include <muster/tests/transport/conformance.hpp>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> numbers(int first, int last) {
  std::vector<std::string> out;
  for (int i = first; i <= last; ++i) out.push_back(std::to_string(i));
  return out;
}

// Both lanes of a stranger's link as a host would make it, so that it may then say anything.
stranger& impostor(world& w, test_host& host, const transport_identity& who) {
  auto& s = w.add_stranger();
  for (lane on : {lane::control, lane::bulk}) {
    const pipe_id pipe{1 + static_cast<std::uint64_t>(on)};
    const auto& where = on == lane::control ? host.where.control : host.where.bulk;
    EXPECT_TRUE(s.connections->open(w.now(), pipe, on, where).ok());
    s.connections->put(pipe, encode_hello(make_hello(who, {"sim://x", "sim://y"}, on, 1)), {});
  }
  EXPECT_TRUE(w.until([&] { return host.count<peer_heard>() != 0; }));
  return s;
}

TEST_P(Transport, KeepsTheOrderOfEachLane) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  for (int i = 1; i <= 500; ++i) {
    ASSERT_EQ(a.say(rank{1}, std::to_string(i), lane::control), send_result::sent);
    ASSERT_EQ(a.say(rank{1}, std::to_string(-i), lane::bulk), send_result::sent);
  }
  ASSERT_TRUE(until_heard(b, 1'000));
  EXPECT_EQ(b.texts(lane::control), numbers(1, 500));
  EXPECT_EQ(b.texts(lane::bulk).back(), "-500");
  EXPECT_EQ(b.texts(lane::bulk).size(), 500u);
}

TEST_P(Transport, CarriesAnyNumberOfFramesAndEmptyOnes) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  std::vector<payload> many;
  for (const auto& text : numbers(1, 64)) many.push_back(payload::copy_of(std::string_view(text)));
  const payload big = payload::adopt(std::vector<std::byte>(300'000, std::byte{7}));
  for (const auto& frames :
       {std::vector<payload>{}, many, {payload{}}, {payload{}, big, payload{}}})
    ASSERT_EQ(a.link->send(rank{1}, lane::bulk, payload::copy_of("h"), frames), send_result::sent);
  ASSERT_TRUE(until_heard(b, 4));
  const auto heard = b.all<message_received>();
  EXPECT_THAT(heard[0].frames, IsEmpty());
  EXPECT_EQ(heard[1].frames, many);
  EXPECT_THAT(heard[2].frames, ElementsAre(payload{}));
  EXPECT_THAT(heard[3].frames, ElementsAre(payload{}, big, payload{}));
}

TEST_P(Transport, CarriesAnEmptyHeader) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  ASSERT_EQ(a.say(rank{1}, ""), send_result::sent);
  ASSERT_TRUE(until_heard(b, 1));
  EXPECT_THAT(b.texts(lane::control), ElementsAre(""));
}

TEST_P(Transport, CountsMessagesAndBytesAtBothEnds) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  ASSERT_EQ(a.link->send(rank{1}, lane::control, payload::copy_of("four"),
                         std::vector{payload::copy_of("seven!!")}),
            send_result::sent);
  ASSERT_TRUE(until_heard(b, 1));
  EXPECT_EQ(a.link->counters().messages_sent, 1u);
  EXPECT_EQ(a.link->counters().bytes_sent, 11u);
  EXPECT_EQ(b.link->counters().messages_received, 1u);
  EXPECT_EQ(b.link->counters().bytes_received, 11u);
}

TEST_P(Transport, SaysWouldBlockWhenALaneIsFullAndWritableWhenItHasRoom) {
  auto& a = w->add(host_of(0), 8);
  auto& b = w->add(host_of(1), 8);
  ASSERT_TRUE(connect(a, b, rank{1}));
  b.paused = true;
  const std::string chunk(256 * 1024, 'x');
  std::size_t sent = 0;
  // Queues at both ends and the system's buffers take some; then it ends.
  while (sent < 1'000 && a.say(rank{1}, chunk, lane::bulk) == send_result::sent) {
    ++sent;
    ASSERT_TRUE(w->until([] { return true; }));
  }
  ASSERT_LT(sent, 1'000u);
  EXPECT_EQ(a.link->counters().would_block, 1u);
  EXPECT_EQ(a.say(rank{1}, "control is not behind bulk"), send_result::sent);
  EXPECT_EQ(a.count<writable>(), 0u);
  b.paused = false;
  ASSERT_TRUE(w->until([&] { return a.count<writable>() == 1; }));
  EXPECT_EQ(a.all<writable>()[0].peer, rank{1});
  EXPECT_EQ(a.all<writable>()[0].lane, lane::bulk);
  EXPECT_EQ(a.say(rank{1}, "last", lane::bulk), send_result::sent);
  ASSERT_TRUE(until_heard(b, sent + 2));
  EXPECT_EQ(b.texts(lane::bulk).size(), sent + 1) << "nothing was lost, nothing came twice";
}

TEST_P(Transport, RefusesToSendBeyondTheLimits) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  const auto zeros = [](std::size_t n) { return payload::adopt(std::vector<std::byte>(n)); };
  const auto send = [&](const payload& header, const std::vector<payload>& frames) {
    return a.link->send(rank{1}, lane::bulk, header, frames);
  };
  EXPECT_EQ(send(zeros(limits::header_bytes_max + 1), {}), send_result::too_large);
  EXPECT_EQ(send({}, std::vector<payload>(limits::payload_frames_max + 1)), send_result::too_large);
  const payload piece = zeros(limits::envelope_bytes_max / 64);
  std::vector<payload> whole(64, piece);
  whole.push_back(zeros(1));
  EXPECT_EQ(send({}, whole), send_result::too_large);
  EXPECT_EQ(send(zeros(limits::header_bytes_max), {}), send_result::sent);
  ASSERT_TRUE(until_heard(b, 1));
}

TEST_P(Transport, DropsWhatAPeerSendsBeyondTheLimits) {
  auto& a = w->add(host_of(0));
  auto& s = impostor(*w, a, host_of(1));
  s.connections->put(pipe_id{1},
                     payload::adopt(std::vector<std::byte>(limits::header_bytes_max + 1)), {});
  s.connections->put(pipe_id{1}, payload::copy_of("small"), {});
  ASSERT_TRUE(until_heard(a, 1));
  EXPECT_THAT(a.texts(lane::control), ElementsAre("small"));
  EXPECT_EQ(a.link->counters().garbage, 1u);
}

TEST_P(Transport, DeliversWhatWasQueuedWhenItClosed) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  for (const auto& text : numbers(1, 100)) ASSERT_EQ(a.say(rank{1}, text), send_result::sent);
  a.paused = true;
  a.link->close();
  ASSERT_TRUE(until_heard(b, 100)) << b.texts(lane::control).size() << " came";
  EXPECT_EQ(b.texts(lane::control), numbers(1, 100));
}

TEST_P(Transport, ForgetsWhatWasOnItsWayWhenALifeEnds) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  w->silence(b);
  EXPECT_EQ(a.say(rank{1}, "lost"), send_result::sent);
  w->cut(b);
  w->heal(b);
  ASSERT_TRUE(w->until([&] { return a.count<link_up>() == 2; }));
  EXPECT_EQ(a.say(rank{1}, "found"), send_result::sent);
  ASSERT_TRUE(until_heard(b, 1));
  EXPECT_THAT(b.texts(lane::control), ElementsAre("found"));
}

TEST_P(Transport, DeliversLateWhatASilentLinkHeldUp) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  w->silence(b);
  for (const auto& text : numbers(1, 3)) EXPECT_EQ(a.say(rank{1}, text), send_result::sent);
  w->heal(b);
  ASSERT_TRUE(until_heard(b, 3));
  EXPECT_EQ(b.texts(lane::control), numbers(1, 3));
  EXPECT_EQ(b.count<peer_heard>(), 1u) << "the life went on";
}

TEST_P(Transport, CountsNoiseAndGoesOn) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  w->make_noise(b);
  ASSERT_TRUE(w->until([&] { return b.link->counters().garbage != 0; }));
  ASSERT_TRUE(connect(a, b, rank{1}));
  EXPECT_EQ(a.say(rank{1}, "sense"), send_result::sent);
  ASSERT_TRUE(until_heard(b, 1));
}

TEST_P(Transport, HearsNobodyWhoDoesNotSayHello) {
  auto& a = w->add(host_of(0));
  auto& s = w->add_stranger();
  ASSERT_TRUE(s.connections->open(w->now(), pipe_id{1}, lane::control, a.where.control).ok());
  s.connections->put(pipe_id{1}, payload::copy_of("give me your data"), {});
  ASSERT_TRUE(w->until([&] { return a.link->counters().garbage == 1; }));
  ASSERT_TRUE(w->until([&] { return !s.seen.empty(); }));
  EXPECT_TRUE(std::holds_alternative<pipe_lost>(s.seen.front())) << "it is turned out";
  EXPECT_THAT(a.seen, IsEmpty());
}

TEST_P(Transport, HearsNobodyWhoSaysHelloOnTheWrongLane) {
  auto& a = w->add(host_of(0));
  auto& s = w->add_stranger();
  ASSERT_TRUE(s.connections->open(w->now(), pipe_id{1}, lane::control, a.where.control).ok());
  s.connections->put(pipe_id{1}, encode_hello(make_hello(host_of(1), a.where, lane::bulk, 1)), {});
  ASSERT_TRUE(w->until([&] { return a.link->counters().garbage == 1; }));
  EXPECT_THAT(a.seen, IsEmpty());
}

TEST_P(Transport, HearsNobodyOnHalfALink) {
  auto& a = w->add(host_of(0));
  auto& s = w->add_stranger();
  ASSERT_TRUE(s.connections->open(w->now(), pipe_id{1}, lane::control, a.where.control).ok());
  s.connections->put(pipe_id{1}, encode_hello(make_hello(host_of(1), a.where, lane::control, 1)),
                     {});
  s.connections->put(pipe_id{1}, payload::copy_of("impatient"), {});
  ASSERT_TRUE(w->until([&] { return a.link->counters().garbage == 1; }));
  EXPECT_THAT(a.seen, IsEmpty());
}

TEST_P(Transport, DropsAHelloOfAnOlderLife) {
  auto& a = w->add(host_of(0));
  impostor(*w, a, host_of(1));
  auto& s = w->add_stranger();
  ASSERT_TRUE(s.connections->open(w->now(), pipe_id{1}, lane::control, a.where.control).ok());
  s.connections->put(pipe_id{1}, encode_hello(make_hello(host_of(1), a.where, lane::control, 1)),
                     {});
  ASSERT_TRUE(w->until([&] { return a.link->counters().stale == 1; }));
  EXPECT_EQ(a.count<peer_heard>(), 1u);
}

TEST_P(Transport, HandsOverNoMoreThanOneStepOfWork) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  b.paused = true;
  for (const auto& text : numbers(1, 600)) ASSERT_EQ(a.say(rank{1}, text), send_result::sent);
  ASSERT_EQ(a.say(rank{1}, "the end", lane::bulk), send_result::sent);
  b.paused = false;
  ASSERT_TRUE(until_heard(b, 601));
  EXPECT_LE(b.events_at_once, limits::step_messages_max);
}

TEST_P(Transport, HandsOverNoMoreThanAStepsBytesAndOneMessage) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  b.paused = true;
  const std::string half(limits::step_bytes_max / 2, 'x');
  for (int i = 0; i < 6; ++i) ASSERT_EQ(a.say(rank{1}, half), send_result::sent);
  b.paused = false;
  ASSERT_TRUE(until_heard(b, 6));
  EXPECT_LE(b.events_at_once, 3u);  // the hello may be with the first two
}

}  // namespace
}  // namespace muster
