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
  for (const auto& [key, other] : table) {
    if (&other == &of) continue;
    auto there = other.heard(tree).intersection(unplaced);
    unplaced = unplaced.minus(there);
    if (is_leave(key))
      place(std::move(there), absence::state::left, {}, {});
    else
      place(std::move(there), absence::state::elsewhere, to_string(key), now - other.opened_at);
  }
  auto cut = unreachable.intersection(unplaced);
  unplaced = unplaced.minus(cut);
  place(std::move(cut), absence::state::unreachable, {}, {});
  place(std::move(unplaced), absence::state::not_arrived, {}, {});
  return out;
}

}  // namespace muster
