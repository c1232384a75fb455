// Streams over a network that delays and cuts: what every host has at the end, and how much it keeps meanwhile.
#include <algorithm>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <muster/actors/protocols/bulk_exchange.hpp>
#include <muster/tests/protocols/virtual_cluster.hpp>
#include <muster/tests/seeds/seeds.hpp>

namespace muster::testing {
namespace {

using namespace std::chrono_literals;

constexpr bulk_options small{8, 24};

std::string content_of(std::uint32_t stream, std::uint64_t bytes) {
  std::string out;
  for (std::uint64_t i = 0; i < bytes; ++i) out += static_cast<char>('a' + (i * 7 + stream) % 26);
  return out;
}

/// In pieces of any sizes.
std::vector<payload> cut(schedule_random& random, const std::string& whole) {
  std::vector<payload> out;
  for (std::size_t at = 0; at < whole.size();) {
    const auto size = std::min<std::size_t>(1 + random.below(30), whole.size() - at);
    out.push_back(payload::copy_of(std::string_view(whole).substr(at, size)));
    at += size;
  }
  return out;
}

class exchange_world {
 public:
  exchange_world(std::uint64_t seed, std::uint32_t hosts) : random_(seed) {
    for (std::uint32_t r = 0; r < hosts; ++r) hosts_.emplace_back();
  }

  /// One host begins later than another, as it does when `proceed` reaches it later.
  void add(rank at, stream_plan plan, std::vector<payload> content) {
    after(random_.between(0ms, 3ms),
          [=, this] { carry_out(at, hosts_[at.value].core.add(plan, content)); });
  }
  void cut_some(int times) {
    for (int i = 0; i < times; ++i)
      after(random_.between(0ms, 20ms), [this] {
        const rank from = any_host(), to = any_host();
        ++lives_[{from, to}];  // what is in flight is lost
        after(random_.between(0ms, 2ms), [=, this] {
          ++lives_[{from, to}];
          carry_out(from, hosts_[from.value].core.connected(to));
        });
      });
  }
  void run() {
    while (!agenda_.empty() && broken.empty()) {
      auto next = agenda_.extract(agenda_.begin());
      now_ = next.key().first;
      next.mapped()();
    }
  }
  [[nodiscard]] bool all_stored(rank r) const { return hosts_[r.value].core.all_stored(); }
  std::string& memory(rank r, std::uint32_t stream) { return hosts_[r.value].memory[stream]; }

  std::string broken;
  std::size_t kept_most = 0;
  std::map<std::string, int> met;

 private:
  struct host {
    bulk_exchange core{small};
    std::map<std::uint32_t, std::string> memory;
    time_point stored_at{};
  };

  rank any_host() { return rank{static_cast<std::uint32_t>(random_.below(hosts_.size()))}; }
  void after(duration how_long, std::function<void()> what) {
    agenda_.emplace(std::pair{now_ + how_long, serial_++}, std::move(what));
  }

  void carry_out(rank self, const bulk_effects& effects) {
    kept_most = std::max(kept_most, hosts_[self.value].core.kept_bytes());
    for (const auto& e : effects) {
      if (const auto* c = std::get_if<send_chunk>(&e))
        deliver(self, c->to, [=, this, c = *c] {
          return hosts_[c.to.value].core.received(self, c.stream, c.offset, c.bytes);
        });
      if (const auto* a = std::get_if<send_chunk_ack>(&e))
        deliver(self, a->to, [=, this, a = *a] {
          return hosts_[a.to.value].core.acknowledged(self, a.stream, a.offset);
        });
      if (const auto* s = std::get_if<store_chunk>(&e)) store(self, *s);
      if (std::holds_alternative<stream_stored>(e)) ++met["stream stored"];
    }
  }
  /// In order on one life of a link.
  void deliver(rank from, rank to, std::function<bulk_effects()> what) {
    auto& last = last_[{from, to}];
    last = std::max(last, now_ + random_.between(50us, 500us));
    agenda_.emplace(std::pair{last, serial_++}, [=, this, life = lives_[{from, to}]] {
      if (lives_[{from, to}] == life)
        carry_out(to, what());
      else
        ++met["lost"];
    });
  }
  void store(rank self, const store_chunk& s) {
    auto& h = hosts_[self.value];
    h.stored_at = std::max(h.stored_at, now_) + random_.between(1us, 300us);
    agenda_.emplace(std::pair{h.stored_at, serial_++}, [=, this] {
      auto& memory = hosts_[self.value].memory[s.stream];
      if (memory.size() != s.offset) broken = "X1: bytes out of order or twice";
      memory += s.bytes.text();
      carry_out(self, hosts_[self.value].core.stored(s.stream, s.offset + s.bytes.size()));
    });
  }

  schedule_random random_;
  time_point now_{};
  std::uint64_t serial_ = 0;
  std::vector<host> hosts_;
  std::map<std::pair<time_point, std::uint64_t>, std::function<void()>> agenda_;
  std::map<std::pair<rank, rank>, int> lives_;
  std::map<std::pair<rank, rank>, time_point> last_;
};

/// Everyone to everyone, or from one to all, or to one; the links cut or not.
std::string run_exchange(std::uint64_t seed, int cuts, std::map<std::string, int>& met) {
  schedule_random random(seed);
  const auto hosts = 1 + static_cast<std::uint32_t>(random.below(9));
  const auto members = rank_set::of_range(rank{0}, rank{hosts - 1}).members();
  exchange_world world(random.next(), hosts);
  const auto kind = random.below(3);
  const auto streams = kind == 0 ? 1 : hosts;
  const rank target{static_cast<std::uint32_t>(random.below(hosts))};
  std::vector<std::string> contents;
  for (std::uint32_t id = 0; id < streams; ++id) {
    contents.push_back(content_of(id, random.below(3) == 0 ? random.below(4) : random.below(400)));
    const rank source = kind == 0 ? target : rank{id};
    for (std::uint32_t r = 0; r < hosts; ++r) {
      const auto bytes = contents[id].size();
      const auto plan = kind == 2 ? direct(id, source, target, bytes, rank{r})
                                  : spread(id, source, bytes, members, rank{r}, kind == 0 ? 2 : 1);
      if (plan.passes(rank{r}))
        world.add(rank{r}, plan,
                  rank{r} == source ? cut(random, contents[id]) : std::vector<payload>{});
    }
  }
  world.cut_some(cuts);
  world.run();
  for (std::uint32_t r = 0; r < hosts && world.broken.empty(); ++r) {
    if (!world.all_stored(rank{r})) world.broken = "X3: a stream did not end";
    for (std::uint32_t id = 0; id < streams; ++id) {
      const bool source = rank{r} == (kind == 0 ? target : rank{id});
      const bool gets = !source && (kind != 2 || rank{r} == target);
      if (gets && world.memory(rank{r}, id) != contents[id]) world.broken = "X1: other bytes";
    }
  }
  // Two windows a stream, one on each side of a relay; and what comes before a stream is added.
  if (world.kept_most > streams * 3 * (small.window_bytes + small.chunk_bytes))
    world.broken = "X2: " + std::to_string(world.kept_most) + " bytes kept at one host";
  for (const auto& [what, count] : world.met) met[what] += count;
  return world.broken;
}

const seed_range seeds = seeds_to_run(1'000);

TEST(BulkExchange, GivesEveryHostItsBytesInOrderAndKeepsLittle) {
  std::map<std::string, int> met;
  for (std::uint64_t seed = seeds.first; seed != seeds.end(); ++seed)
    ASSERT_EQ(run_exchange(seed, 0, met), "") << replay(seed, "protocols_test");
  EXPECT_GT(met["stream stored"], 0);
}

TEST(BulkExchange, GoesOnWhereALinkWasCut) {
  std::map<std::string, int> met;
  for (std::uint64_t seed = seeds.first; seed != seeds.end(); ++seed)
    ASSERT_EQ(run_exchange(seed, 30, met), "") << replay(seed, "protocols_test");
  if (seeds.is_replay()) return;
  EXPECT_GT(met["lost"], 0) << "no cut met a chunk";
}

TEST(BulkExchange, IgnoresWhatIsNoPartOfIt) {
  bulk_exchange core(small);
  EXPECT_TRUE(core.add({0, rank{0}, 10, rank{0}, {}}).empty());
  EXPECT_TRUE(core.received(rank{5}, 0, 0, payload::copy_of("x")).empty()) << "from another host";
  EXPECT_TRUE(core.received(rank{0}, 0, 4, payload::copy_of("x")).empty())
      << "with a gap before it";
  EXPECT_TRUE(core.received(rank{0}, 0, 0, payload::copy_of("more than ten bytes")).empty());
  EXPECT_TRUE(core.received(rank{0}, 0, ~std::uint64_t{0}, payload::copy_of("x")).empty());
  EXPECT_TRUE(core.acknowledged(rank{0}, 0, 3).empty()) << "of nothing that was sent";
  EXPECT_TRUE(core.stored(0, 5).empty()) << "of nothing that came";
  EXPECT_FALSE(core.all_stored());
}

TEST(BulkExchange, OfNoBytesIsStoredAtOnce) {
  bulk_exchange core(small);
  const auto effects = core.add({0, rank{0}, 0, rank{0}, {}});
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<stream_stored>(effects[0]));
  EXPECT_TRUE(core.all_stored());
}

}  // namespace
}  // namespace muster::testing
