// The fixture of the conformance suite: one world of the kind under test, and the words of its
// cases.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/transport/greeting.hpp>
#include <muster/messages/wire/hello.hpp>
#include <muster/tests/transport/world.hpp>

namespace muster {

class Transport : public testing::TestWithParam<world_kind> {
 protected:
  static transport_identity host_of(std::uint32_t number, std::uint64_t life = 1) {
    return {"job-a", "secret", rank{number}, {{number + 1, life}}};
  }
  /// Dials and waits until the link is up.
  [[nodiscard]] bool connect(test_host& from, test_host& to, rank name) {
    const auto ups = from.count<link_up>();
    from.link->dial(w->now(), name, to.where);
    return w->until([&] { return from.count<link_up>() > ups; });
  }
  [[nodiscard]] bool until_heard(test_host& host, std::size_t messages) {
    return w->until([&] { return host.count<message_received>() >= messages; });
  }
  /// A connection of a stranger on the control lane that says this; its answer, when one comes.
  std::optional<answer> answer_to(test_host& host, const hello& said) {
    auto& s = w->add_stranger();
    EXPECT_TRUE(s.connections->open(w->now(), pipe_id{1}, lane::control, host.where.control).ok());
    s.connections->put(pipe_id{1}, encode_hello(said), {});
    if (!w->until([&] { return !s.seen.empty(); })) return std::nullopt;
    const auto* answered = std::get_if<pipe_answered>(&s.seen.front());
    return answered ? std::optional(decode_answer(answered->answer).value()) : std::nullopt;
  }

  std::unique_ptr<world> w = GetParam().make();
};

}  // namespace muster
