// What only real sockets have: addresses, descriptors, connections that stay silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <muster/messages/transport/zmq/zmq_carrier.hpp>
#include <muster/messages/transport/zmq/zmq_transport.hpp>
#include <muster/tests/transport/relay.hpp>
#include <muster/tests/transport/world.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

transport_identity host_of(std::uint32_t number) {
  return {"job", "", rank{number}, {{number + 1, 1}}};
}

std::string why_not(zmq_options options) {
  auto made = make_zmq_transport(host_of(0), std::move(options));
  EXPECT_EQ(made.why().code, made.ok() ? status_code::ok : status_code::invalid_argument);
  return made.why().text;
}

bool readable(int fd, int timeout_ms) {
  pollfd p{fd, POLLIN, 0};
  return ::poll(&p, 1, timeout_ms) == 1;
}

// Reads what is left on a connection; whether it then ends.
bool ends(int fd) {
  std::array<char, 256> rest;
  ssize_t n = 1;
  while (n > 0 && readable(fd, 10'000)) n = ::recv(fd, rest.data(), rest.size(), 0);
  return n == 0 || (n < 0 && errno == ECONNRESET);
}

TEST(ZmqTransport, ListensAtFreePorts) {
  auto made = make_zmq_transport(host_of(0)).value();
  EXPECT_THAT(made->local().control, StartsWith("tcp://127.0.0.1:"));
  EXPECT_NE(made->local().control, made->local().bulk);
}

TEST(ZmqTransport, AdvertisesAnotherNameForTheBoundPort) {
  zmq_options options;
  options.advertise_control = "tcp://localhost:*";
  options.advertise_bulk = "tcp://elsewhere:4000";
  auto made = make_zmq_transport(host_of(0), options).value();
  EXPECT_THAT(made->local().control, testing::MatchesRegex("tcp://localhost:[0-9]+"));
  EXPECT_EQ(made->local().bulk, "tcp://elsewhere:4000");
}

TEST(ZmqTransport, RefusesAddressesThatNobodyCanDial) {
  EXPECT_THAT(why_not({.bind_control = "tcp://0.0.0.0:*"}), HasSubstr("advertise one"));
  EXPECT_THAT(why_not({.bind_control = "nonsense"}), HasSubstr("'nonsense'"));
  EXPECT_THAT(why_not({.bind_bulk = "tcp://192.0.2.1:*"}), HasSubstr("192.0.2.1"));
  EXPECT_THAT(why_not({.io_threads = 0}), HasSubstr("io_threads is 0"));
  EXPECT_THAT(why_not({.lane_queue_max = 0}), HasSubstr("lane_queue_max is 0"));
}

TEST(ZmqTransport, SaysWhyAnAddressCantBeBound) {
  auto first = make_zmq_transport(host_of(0)).value();
  EXPECT_THAT(why_not({.bind_control = first->local().control}), HasSubstr("in use"));
}

TEST(ZmqTransport, RefusesIdentitiesBeyondTheLimits) {
  auto identity = host_of(0);
  identity.job = std::string(limits::job_bytes_max + 1, 'x');
  EXPECT_THAT(make_zmq_transport(identity).why().text, HasSubstr("129 bytes"));
  identity = host_of(0);
  identity.credential = std::string(limits::credential_bytes_max + 1, 'x');
  EXPECT_THAT(make_zmq_transport(identity).why().text, HasSubstr("257 bytes"));
}

TEST(ZmqTransport, ReportsABadAddressAsALinkThatIsDown) {
  auto made = make_zmq_transport(host_of(0)).value();
  made->dial(time_point{}, rank{1}, {"carrier-pigeon://loft", "tcp://127.0.0.1:1"});
  const auto events = made->poll(time_point{});
  ASSERT_EQ(events.size(), 1u);
  EXPECT_THAT(std::get<link_down>(events[0]).why, HasSubstr("carrier-pigeon"));
}

TEST(ZmqTransport, DialsTcpAndLocalSocketsOnly) {
  auto made = make_zmq_transport(host_of(0)).value();
  for (const char* other : {"inproc://pipe-1", "udp://127.0.0.1:1", "pgm://eth0;239.0.0.1:1", ""}) {
    made->dial(time_point{}, rank{1}, {other, other});
    const auto events = made->poll(time_point{});
    ASSERT_EQ(events.size(), 1u) << other;
    EXPECT_THAT(std::get<link_down>(events[0]).why, HasSubstr("neither tcp:// nor ipc://"));
  }
}

TEST(ZmqTransport, HasAQuietDescriptorWhenPollHasReturnedNothing) {
  auto w = make_zmq_world();
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  a.link->dial(w->now(), rank{1}, b.where);
  ASSERT_TRUE(w->until([&] { return a.count<link_up>() == 1; }));
  while (!a.link->poll(w->now()).empty() || !b.link->poll(w->now()).empty()) {
  }
  EXPECT_FALSE(readable(b.link->descriptor(), 0));
  ASSERT_EQ(a.say(rank{1}, "x"), send_result::sent);
  ASSERT_TRUE(w->until(
      [&] { return readable(b.link->descriptor(), 0) || b.count<message_received>() == 1; }));
}

TEST(ZmqTransport, SpeaksOverLocalSockets) {
  const std::string base = "ipc://" + testing::TempDir() + "muster-" + std::to_string(::getpid());
  auto a = make_zmq_transport(host_of(0)).value();
  auto b = make_zmq_transport(host_of(1), {.bind_control = base + "-c", .bind_bulk = base + "-b"})
               .value();
  EXPECT_EQ(b->local().control, base + "-c");
  a->dial(time_point{}, rank{1}, b->local());
  for (int i = 0; i < 1'000; ++i) {
    b->poll(time_point{});
    for (const auto& e : a->poll(time_point{}))
      if (std::holds_alternative<link_up>(e)) return;
    readable(a->descriptor(), 10);
  }
  FAIL() << "no link over " << base;
}

TEST(ZmqTransport, TurnsOutAConnectionThatStaysSilent) {
  auto w = make_zmq_world();
  auto& a = w->add(host_of(0));
  const owned_fd silent = connect_to(a.link->local().control);
  ASSERT_TRUE(w->until([&] { return a.link->deadline().has_value(); }))
      << "it is expected to say hello";
  w->pass(limits::hello_timeout + 1ms);
  ASSERT_TRUE(w->until([&] { return a.link->counters().garbage == 1; }));
  EXPECT_TRUE(ends(silent.get()));
}

TEST(ZmqTransport, KeepsAConnectionThatHasSaidHello) {
  auto w = make_zmq_world();
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  a.link->dial(w->now(), rank{1}, b.where);
  ASSERT_TRUE(w->until([&] { return a.count<link_up>() == 1 && !b.link->deadline(); }));
  w->pass(limits::hello_timeout * 2);
  ASSERT_EQ(a.say(rank{1}, "still here"), send_result::sent);
  ASSERT_TRUE(w->until([&] { return b.count<message_received>() == 1; }));
  EXPECT_EQ(a.count<link_down>(), 0u);
  EXPECT_EQ(b.link->counters().garbage, 0u);
}

TEST(ZmqCarrier, OpensNoMoreLinksThanItsLimit) {
  zmq_carrier c{{}, 1};
  ASSERT_TRUE(c.listen().ok());
  EXPECT_TRUE(c.open(time_point{}, pipe_id{1}, lane::control, c.local().control).ok());
  EXPECT_TRUE(c.open(time_point{}, pipe_id{2}, lane::bulk, c.local().bulk).ok());
  const auto s = c.open(time_point{}, pipe_id{3}, lane::control, c.local().control);
  EXPECT_EQ(s.code, status_code::resource_exhausted);
  EXPECT_THAT(s.text, HasSubstr("more than 1 links"));
  c.shut(pipe_id{1});
  EXPECT_TRUE(c.open(time_point{}, pipe_id{4}, lane::control, c.local().control).ok());
}

}  // namespace
}  // namespace muster
