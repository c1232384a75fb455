#include <muster/actors/protocols/intent_table.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

bool is_leave(const operation_key& key) {
  const auto* named = std::get_if<named_key>(&key);
  return named && named->kind == op_kind::leave;
}

bool is_join(const operation_key& key) {
  const auto* named = std::get_if<named_key>(&key);
  return named && named->kind == op_kind::join;
}

}  // namespace

intents report_intents(instance_table& table, const tree_shape& tree, time_point now,
                       duration age) {
  std::vector<std::pair<instance*, rank_set>> news;
  for (auto& [key, i] : table) {
    if (i.at != instance::phase::gathering || now - i.opened_at < age) continue;
    auto heard = i.heard(tree);
    if (heard != i.intents_told) news.emplace_back(&i, std::move(heard));
  }
  std::stable_sort(news.begin(), news.end(), [](const auto& a, const auto& b) {
    return a.first->opened_at < b.first->opened_at;
  });
  intents out;
  for (auto& [i, heard] : news) {
    if (out.waits.size() == limits::intents_max) {
      out.omitted = news.size() - limits::intents_max;
      break;
    }
    out.waits.push_back({i->key, heard, now - i->opened_at});
    i->intents_told = std::move(heard);
  }
  return out;
}

std::vector<absence> locate(const rank_set& missing, const instance& of,
                            const instance_table& table, const tree_shape& tree,
                            const rank_set& unreachable, time_point now) {
  std::vector<absence> out;
  auto place = [&](rank_set there, absence::state where, std::string what, duration since) {
    if (!there.empty()) out.push_back({std::move(there), where, std::move(what), since});
  };
  rank_set unplaced = missing;
  if (is_join(of.key)) {
    place(unplaced, absence::state::never_joined, {}, {});
    return out;
  }
  if (of.at == instance::phase::moving) {
    place(unplaced, absence::state::elsewhere, "the transfer of its data", now - of.opened_at);
    return out;
  }
  // What there is no room for is counted: a world in which each rank waits under a name of its own.
  absence rest{{}, absence::state::elsewhere, {}, {}};
  std::size_t listed = 0, omitted = 0;
  for (const auto& [key, other] : table) {
    if (&other == &of) continue;
    auto there = other.heard(tree).intersection(unplaced);
    if (there.empty()) continue;
    unplaced = unplaced.minus(there);
    const auto since = now - other.opened_at;
    if (is_leave(key)) {
      place(std::move(there), absence::state::left, {}, {});
    } else if (listed < limits::intents_max) {
      ++listed;
      place(std::move(there), absence::state::elsewhere, to_string(key), since);
    } else {
      ++omitted;
      rest.ranks.merge(there);
      rest.since = std::max(rest.since, since);
    }
  }
  place(std::move(rest.ranks), rest.where,
        std::to_string(omitted) + (omitted == 1 ? " other operation" : " other operations"),
        rest.since);
  auto cut = unreachable.intersection(unplaced);
  unplaced = unplaced.minus(cut);
  place(std::move(cut), absence::state::unreachable, {}, {});
  place(std::move(unplaced), absence::state::not_arrived, {}, {});
  return out;
}

}  // namespace muster
