// Links: how they come up, break, come again and are refused.
#include <muster/tests/transport/conformance.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_P(Transport, TellsThePeerWhoDialled) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  const auto heard = b.all<peer_heard>();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].peer, rank{0});
  EXPECT_EQ(heard[0].incarnation, host_of(0).incarnation);
  EXPECT_EQ(heard[0].endpoints, a.link->local());
  EXPECT_EQ(a.count<peer_heard>(), 0u) << "a link is one way";
}

TEST_P(Transport, LinksALauncherLikeAnyOther) {
  auto& a = w->add(host_of(0));
  auto& launcher = w->add(host_of(launcher_rank.value));
  ASSERT_TRUE(connect(a, launcher, launcher_rank));
  ASSERT_TRUE(connect(launcher, a, rank{0}));
  ASSERT_EQ(a.all<peer_heard>().size(), 1u);
  EXPECT_EQ(a.all<peer_heard>()[0].peer, launcher_rank);
}

TEST_P(Transport, SendsNothingWithoutALink) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  EXPECT_EQ(a.say(rank{1}, "nobody"), send_result::no_link);
  a.link->dial(w->now(), rank{1}, b.where);
  EXPECT_EQ(a.say(rank{1}, "too early"), send_result::no_link);
  ASSERT_TRUE(w->until([&] { return a.count<link_up>() == 1; }));
  EXPECT_EQ(a.say(rank{2}, "somebody else"), send_result::no_link);
  EXPECT_EQ(a.say(rank{1}, "there"), send_result::sent);
  ASSERT_TRUE(until_heard(b, 1));
  EXPECT_THAT(b.texts(lane::control), ElementsAre("there"));
}

TEST_P(Transport, DialsAgainAfterALinkWasCut) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  w->cut(b);
  ASSERT_TRUE(w->until([&] { return a.count<link_up>() == 2; }));
  const auto downs = a.all<link_down>();
  ASSERT_THAT(downs, Not(IsEmpty()));
  EXPECT_EQ(downs[0].peer, rank{1});
  EXPECT_EQ(downs[0].attempts, 0u) << "it was up, and not dialled since";
  EXPECT_THAT(downs[0].why, Not(IsEmpty()));
  EXPECT_EQ(a.say(rank{1}, "again"), send_result::sent);
  ASSERT_TRUE(until_heard(b, 1));
}

TEST_P(Transport, HearsHelloBeforeTheFirstMessageOfEachLife) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  for (std::size_t life = 1; life <= 3; ++life) {
    EXPECT_EQ(a.say(rank{1}, std::to_string(life)), send_result::sent);
    ASSERT_TRUE(until_heard(b, life));
    w->cut(b);
    ASSERT_TRUE(w->until([&] { return a.count<link_up>() == life + 1; }));
  }
  std::vector<std::size_t> order;
  for (const auto& event : b.seen) order.push_back(event.index());
  const auto hello = transport_event{peer_heard{}}.index(),
             message = transport_event{message_received{}}.index();
  EXPECT_THAT(order, ElementsAre(hello, message, hello, message, hello, message, hello));
}

TEST_P(Transport, DialsNobodyWithRisingAttemptsUntilThePeerAppears) {
  auto& a = w->add(host_of(0));
  const auto where = w->address_of_nobody();
  a.link->dial(w->now(), rank{1}, where);
  ASSERT_TRUE(w->until([&] { return a.count<link_down>() == 3; }));
  std::vector<std::uint32_t> attempts;
  for (const auto& down : a.all<link_down>()) attempts.push_back(down.attempts);
  EXPECT_THAT(attempts, ElementsAre(1, 2, 3));
  EXPECT_THAT(a.all<link_down>()[0].why, HasSubstr(where.control.substr(0, 6)));
  w->add_at(where, host_of(1));
  ASSERT_TRUE(w->until([&] { return a.count<link_up>() == 1; }));
  EXPECT_GE(a.link->counters().dials, 4u);
  EXPECT_EQ(a.link->counters().lives, 1u);
}

TEST_P(Transport, GivesUpADialThatIsNeverAnswered) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  w->silence(b);
  a.link->dial(w->now(), rank{1}, b.where);
  ASSERT_TRUE(w->until([&] { return a.link->deadline().has_value(); }));
  w->pass(limits::hello_timeout + 1ms);
  ASSERT_TRUE(w->until([&] { return a.count<link_down>() == 1; }));
  EXPECT_THAT(a.all<link_down>()[0].why, HasSubstr("no welcome"));
  EXPECT_THAT(a.all<link_down>()[0].why, HasSubstr("5 s"));
}

TEST_P(Transport, HangsUpForGood) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  a.link->hang_up(rank{1});
  EXPECT_EQ(a.say(rank{1}, "gone"), send_result::no_link);
  w->pass(10s);
  ASSERT_TRUE(connect(b, a, rank{0}));  // time for anything else to happen
  EXPECT_EQ(a.count<link_up>(), 1u);
  EXPECT_EQ(a.count<link_down>(), 0u);
}

TEST_P(Transport, DialsAnotherAddressWhenTold) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1, 1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  auto& moved = w->add(host_of(1, 2));
  ASSERT_TRUE(connect(a, moved, rank{1}));
  EXPECT_EQ(a.say(rank{1}, "here"), send_result::sent);
  ASSERT_TRUE(until_heard(moved, 1));
  EXPECT_EQ(b.count<message_received>(), 0u);
}

TEST_P(Transport, KeepsALinkThatIsDialledAgainAlike) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  a.link->dial(w->now(), rank{1}, b.where);
  EXPECT_EQ(a.say(rank{1}, "still up"), send_result::sent);
  ASSERT_TRUE(until_heard(b, 1));
  EXPECT_EQ(a.link->counters().dials, 1u);
}

TEST_P(Transport, RefusesAnotherJobAndNamesBoth) {
  auto& a = w->add(host_of(0));
  auto other = host_of(1);
  other.job = "job-b";
  auto& b = w->add(other);
  a.link->dial(w->now(), rank{1}, b.where);
  ASSERT_TRUE(w->until([&] { return a.count<link_refused>() == 1; }));
  const status why = a.all<link_refused>()[0].why;
  EXPECT_EQ(why.code, status_code::refused);
  EXPECT_THAT(why.text, AllOf(HasSubstr("job-a"), HasSubstr("job-b")));
  EXPECT_THAT(b.link->counters().foreign, Gt(0u));
  EXPECT_EQ(b.count<peer_heard>(), 0u);
}

TEST_P(Transport, RefusesAnotherCredentialAndNamesNone) {
  auto& a = w->add(host_of(0));
  auto other = host_of(1);
  other.credential = "hunter2";
  auto& b = w->add(other);
  a.link->dial(w->now(), rank{1}, b.where);
  ASSERT_TRUE(w->until([&] { return a.count<link_refused>() == 1; }));
  EXPECT_THAT(a.all<link_refused>()[0].why.text,
              AllOf(HasSubstr("credential"), Not(HasSubstr("hunter2")), Not(HasSubstr("secret"))));
}

TEST_P(Transport, RefusesAnotherVersionAndNamesBoth) {
  auto& a = w->add(host_of(0));
  auto said = make_hello(host_of(1), a.where, lane::control, 1);
  said.version_min = 7;
  said.version_max = 9;
  const auto heard = answer_to(a, said);
  ASSERT_TRUE(heard && std::holds_alternative<refusal>(*heard));
  EXPECT_THAT(std::get<refusal>(*heard).why.text,
              AllOf(HasSubstr("7 to 9"), HasSubstr("1 is spoken here")));
  EXPECT_EQ(a.link->counters().foreign, 1u);
}

TEST_P(Transport, SpeaksTheHighestVersionThatBothKnow) {
  auto& a = w->add(host_of(0));
  auto said = make_hello(host_of(1), a.where, lane::control, 1);
  said.version_max = 9;
  const auto heard = answer_to(a, said);
  ASSERT_TRUE(heard && std::holds_alternative<welcome>(*heard));
  EXPECT_EQ(std::get<welcome>(*heard).version, protocol_version_max);
}

TEST_P(Transport, IsRefusedByAnIncarnationThatItDidNotMean) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1, 2));
  a.link->dial(w->now(), rank{1}, b.where, host_of(1, 1).incarnation);
  ASSERT_TRUE(w->until([&] { return a.count<link_refused>() == 1; }));
  EXPECT_THAT(a.all<link_refused>()[0].why.text,
              AllOf(HasSubstr(to_string(host_of(1, 1).incarnation)),
                    HasSubstr(to_string(host_of(1, 2).incarnation))));
  ASSERT_TRUE(connect(a, b, rank{1})) << "dialled again, whoever it is";
}

TEST_P(Transport, IsRefusedByARankThatItDidNotMean) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  a.link->dial(w->now(), rank{2}, b.where);
  ASSERT_TRUE(w->until([&] { return a.count<link_refused>() == 1; }));
  EXPECT_THAT(a.all<link_refused>()[0].why.text, AllOf(HasSubstr("rank 2"), HasSubstr("rank 1")));
}

TEST_P(Transport, HearsANewIncarnationAndDropsWhatTheOldOneSays) {
  auto& a = w->add(host_of(0));
  auto& old_life = w->add(host_of(1, 1));
  auto& new_life = w->add(host_of(1, 2));
  ASSERT_TRUE(connect(old_life, a, rank{0}));
  ASSERT_TRUE(connect(new_life, a, rank{0}));
  ASSERT_EQ(a.count<peer_heard>(), 2u);
  EXPECT_EQ(a.all<peer_heard>()[1].incarnation, host_of(1, 2).incarnation);
  EXPECT_EQ(old_life.say(rank{0}, "I am still here"), send_result::sent);
  ASSERT_TRUE(w->until([&] { return a.link->counters().stale == 1; }));
  EXPECT_EQ(new_life.say(rank{0}, "so am I"), send_result::sent);
  ASSERT_TRUE(until_heard(a, 1));
  EXPECT_THAT(a.texts(lane::control), ElementsAre("so am I"));
}

TEST_P(Transport, RefusesASecondProcessOfARankUntilTheFirstHasEnded) {
  auto& a = w->add(host_of(0));
  auto& first = w->add(host_of(1, 1));
  auto& second = w->add(host_of(1, 2));
  a.link->dial(w->now(), rank{1}, first.where, host_of(1, 1).incarnation);
  ASSERT_TRUE(w->until([&] { return a.count<link_up>() == 1; }));
  second.link->dial(w->now(), rank{0}, a.where);
  ASSERT_TRUE(w->until([&] { return second.count<link_refused>() == 1; }));
  const auto why = second.all<link_refused>()[0].why;
  EXPECT_EQ(why.code, status_code::duplicate_rank);
  EXPECT_THAT(why.text,
              AllOf(HasSubstr(first.where.control), HasSubstr(second.link->local().control)));
  first.link->close();
  ASSERT_TRUE(w->until([&] { return a.count<link_down>() > 0; }));
  EXPECT_TRUE(connect(second, a, rank{0}));
}

TEST_P(Transport, ClosesTwiceLikeOnce) {
  auto& a = w->add(host_of(0));
  auto& b = w->add(host_of(1));
  ASSERT_TRUE(connect(a, b, rank{1}));
  b.paused = true;
  b.link->close();
  b.link->close();
  EXPECT_TRUE(w->until([&] { return a.count<link_down>() == 1; }));
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Over, Transport,
                         testing::Values(world_kind{"Zmq", make_zmq_world},
                                         world_kind{"Sim", make_sim_world}),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace muster
