#include <muster/actors/shells/bulk_move.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include <muster/actors/protocols/exchange_plan.hpp>
#include <muster/actors/shells/reduction_slices.hpp>
#include <muster/devices/order.hpp>

namespace muster {
namespace {

/// Bytes of a result, written by copies and read once all of them are done.
class buffer {
 public:
  buffer() = default;
  explicit buffer(std::uint64_t size) : size_(size) {
    if (size == 0) return;
    const std::align_val_t aligned{slice_alignment};
    data_ = {static_cast<std::byte*>(::operator new(size, aligned)),
             [aligned](std::byte* p) { ::operator delete(p, aligned); }};
  }
  [[nodiscard]] payload part(std::uint64_t offset, std::uint64_t bytes) const {
    return {data_, bytes_view(data_.get() + offset, bytes)};
  }
  [[nodiscard]] payload whole() const { return part(0, size_); }
  [[nodiscard]] std::function<void()> writing(std::uint64_t offset, payload from) const {
    return [to = data_, offset, from = std::move(from)] {
      std::memcpy(to.get() + offset, from.data(), from.size());
    };
  }

 private:
  std::shared_ptr<std::byte> data_;
  std::uint64_t size_ = 0;
};

struct place {
  buffer in;
  std::uint64_t offset = 0;
};

bool is_fold(const signature& said) { return combiner_of(said.kind) == combiner::fold; }

}  // namespace

struct bulk_move::state {
  // ---- what is moved
  signature said;
  std::vector<held_part> held;
  std::vector<rank> members;
  rank self{};
  contribution given;
  bool begun = false;
  bool told = false;  // that it is finished

  // ---- on the way
  bulk_exchange core;
  std::map<std::uint32_t, place> places;  // of the streams that end here
  std::map<std::uint32_t, payload> own;   // of those that begin here
  std::set<rank> peers;
  std::vector<stream_plan> plans;
  std::map<std::uint32_t, std::vector<payload>> contents;

  // ---- reductions
  reduction_slices slices;
  std::uint32_t count = 0;                 // members
  std::uint32_t me = 0;                    // our place among them
  std::set<std::uint32_t> slices_missing;  // streams of partials of our slice
  std::set<std::uint32_t> local_copies;    // that are not done
  bool folding = false, is_folded = false;
  buffer whole;

  [[nodiscard]] const held_part* held_by(rank who) const {
    const auto it = std::ranges::find(held, who, &held_part::of);
    return it == held.end() ? nullptr : &*it;
  }
  [[nodiscard]] std::uint32_t slice_stream(std::uint32_t from, std::uint32_t owner) const {
    return from * count + owner;
  }
  [[nodiscard]] std::uint32_t result_stream(std::uint32_t owner) const {
    return count * count + owner;
  }
  [[nodiscard]] bool gets_result() const { return !said.target || *said.target == self; }

  // ---- planning
  void plan(const stream_plan& p, std::vector<payload> content = {}) {
    if (!p.passes(self) || (p.bytes == 0 && is_fold(said))) return;
    if (p.from) peers.insert(*p.from);
    peers.insert(p.to.begin(), p.to.end());
    plans.push_back(p);
    if (!content.empty()) contents[p.id] = std::move(content);
  }
  void plan_whole() {
    for (std::uint32_t i = 0; i < held.size(); ++i) {
      const auto& part = held[i];
      stream_plan p;
      if (said.target)
        p = direct(i, part.of, *said.target, part.bytes, self);
      else
        p = spread(i, part.of, part.bytes, members, self,
                   combiner_of(said.kind) == combiner::one ? limits::spread_fan_out : 1);
      std::vector<payload> content;
      if (part.of == self && !given.frames.empty()) {
        content.push_back(given.frames.front());
        own[i] = given.frames.front();
      }
      if (p.from) places[i] = {buffer(part.bytes), 0};
      plan(p, std::move(content));
    }
  }

  /// What a host sends of its partials to a slice's owner.
  [[nodiscard]] std::uint64_t slice_bytes(const held_part* of, std::uint32_t owner) const {
    return of && slices.of(owner).size() != 0 ? of->parts.size() * slices.partial_stride(owner) : 0;
  }

  void plan_reduction() {
    slices = reduction_slices(said, count);
    if (gets_result()) whole = buffer(slices.whole_result_bytes());
    for (std::uint32_t other = 0; other < count; ++other) {
      if (other == me) continue;
      plan(direct(slice_stream(me, other), self, members[other], slice_bytes(held_by(self), other),
                  self),
           slices.cut(given.frames, other));
      const auto bytes = slice_bytes(held_by(members[other]), me);
      if (bytes == 0) continue;
      const auto id = slice_stream(other, me);
      places[id] = {buffer(bytes), 0};
      slices_missing.insert(id);
      plan(direct(id, members[other], self, bytes, self));
    }
    for (std::uint32_t owner = 0; owner < count; ++owner) {
      if (owner == me || slices.of(owner).size() == 0) continue;
      const auto id = result_stream(owner);
      plan(result_plan(owner));
      if (gets_result()) places[id] = {whole, slices.result_offset(owner)};
    }
    // Our own partials of our slice, as they would come from another.
    const auto bytes = slice_bytes(held_by(self), me);
    if (bytes != 0) places[slice_stream(me, me)] = {buffer(bytes), 0};
  }
  [[nodiscard]] stream_plan result_plan(std::uint32_t owner) const {
    const auto id = result_stream(owner);
    const auto bytes = slices.result_bytes(owner);
    return said.target ? direct(id, members[owner], *said.target, bytes, self)
                       : spread(id, members[owner], bytes, members, self, 1);
  }

  // ---- moving on
  void take(bulk_effects effects, orders& out) {
    for (auto& effect : effects) {
      if (auto* c = std::get_if<send_chunk>(&effect)) out.chunks.push_back(std::move(*c));
      if (auto* a = std::get_if<send_chunk_ack>(&effect)) out.acks.push_back(*a);
      if (auto* s = std::get_if<store_chunk>(&effect)) {
        const auto end = s->offset + s->bytes.size();
        const auto& to = places.at(s->stream);
        out.copies.push_back(
            {to.in.writing(to.offset + s->offset, std::move(s->bytes)), s->stream, end});
      }
      if (const auto* s = std::get_if<stream_stored>(&effect)) slices_missing.erase(s->stream);
    }
  }
  /// A copy of what is here already, into a stream's place.
  void copy_locally(std::uint32_t stream, const std::vector<payload>& pieces, orders& out) {
    local_copies.insert(stream);
    std::uint64_t at = 0;
    const auto& to = places.at(stream);
    std::vector<std::function<void()>> writes;
    for (const auto& piece : pieces) {
      writes.push_back(to.in.writing(to.offset + at, piece));
      at += piece.size();
    }
    out.copies.push_back({[writes = std::move(writes)] {
                            for (const auto& write : writes) write();
                          },
                          stream, at});
  }

  void advance(orders& out) {
    if (told || !begun) return;
    if (is_fold(said)) {
      if (!folding && slices_missing.empty() && !local_copies.contains(slice_stream(me, me)))
        fold_own(out);
      if (!is_folded || !local_copies.empty()) return;
    }
    if (!core.all_stored()) return;
    told = true;
    out.finished = status{};
  }

  void fold_own(orders& out) {
    folding = true;
    const auto mine = slices.of(me);
    if (mine.size() == 0) {
      is_folded = true;
      return;
    }
    fold_slice order{said, {}};
    order.said.shape = {static_cast<std::int64_t>(mine.size())};
    for (std::uint32_t from = 0; from < count; ++from) {
      const auto* part = held_by(members[from]);
      if (part == nullptr || part->parts.empty()) continue;
      contribution input;
      input.parts = part->parts;
      for (std::size_t p = 0; p < part->parts.size(); ++p)
        input.frames.push_back(
            places.at(slice_stream(from, me))
                .in.part(p * slices.partial_stride(me), slices.partial_bytes(me)));
      order.inputs.push_back(std::move(input));
    }
    out.fold = std::move(order);
  }
};

bulk_move::bulk_move() : state_(std::make_unique<state>()) {}
bulk_move::~bulk_move() = default;
bulk_move::bulk_move(bulk_move&&) noexcept = default;
bulk_move& bulk_move::operator=(bulk_move&&) noexcept = default;

bool bulk_move::begun() const { return state_->begun; }
const std::set<rank>& bulk_move::peers() const { return state_->peers; }

bulk_move::orders bulk_move::begin(const signature& said, std::vector<held_part> held,
                                   const rank_set& members, rank self, contribution given) {
  auto& s = *state_;
  s.said = said;
  s.held = std::move(held);
  s.members = members.members();
  s.self = self;
  s.given = std::move(given);
  s.count = static_cast<std::uint32_t>(s.members.size());
  s.me = static_cast<std::uint32_t>(std::ranges::lower_bound(s.members, self) - s.members.begin());
  s.begun = true;
  orders out;
  const auto refuse = [&](status why) {
    s.told = true;
    out.finished = std::move(why);
  };
  if (is_fold(said) && s.count > limits::direct_hosts_max) {
    refuse(error(status_code::resource_exhausted,
                 to_string(said) + ": " + std::to_string(s.count) +
                     " hosts; arrays of this size go from each to each of at most " +
                     std::to_string(limits::direct_hosts_max)));
    return out;
  }
  try {
    if (is_fold(said))
      s.plan_reduction();
    else
      s.plan_whole();
  } catch (const std::bad_alloc&) {
    refuse(error(status_code::resource_exhausted,
                 to_string(said) + ": this host has no memory for the result"));
    return out;
  }
  std::size_t sending = 0;
  for (const auto& p : s.plans) sending += p.to.size();
  const auto window =
      std::clamp<std::size_t>(limits::bulk_window_bytes / std::max<std::size_t>(sending, 1),
                              limits::stream_window_bytes_min, limits::stream_window_bytes_max);
  s.core.use({limits::chunk_bytes, window});
  for (const auto& p : s.plans) s.take(s.core.add(p, std::move(s.contents[p.id])), out);
  s.contents.clear();
  if (is_fold(said) && s.places.contains(s.slice_stream(s.me, s.me)))
    s.copy_locally(s.slice_stream(s.me, s.me), s.slices.cut(s.given.frames, s.me), out);
  s.advance(out);
  return out;
}

bulk_move::orders bulk_move::received(rank from, const chunk& c) {
  auto& s = *state_;
  orders out;
  s.take(s.core.received(from, c.stream, c.offset, c.bytes), out);
  s.advance(out);
  return out;
}

bulk_move::orders bulk_move::acknowledged(rank from, const chunk_ack& a) {
  orders out;
  state_->take(state_->core.acknowledged(from, a.stream, a.offset), out);
  return out;
}

bulk_move::orders bulk_move::stored(std::uint32_t stream, std::uint64_t end) {
  auto& s = *state_;
  orders out;
  if (s.local_copies.erase(stream) == 0) s.take(s.core.stored(stream, end), out);
  s.advance(out);
  return out;
}

bulk_move::orders bulk_move::folded(const status& outcome, const contribution& made) {
  auto& s = *state_;
  orders out;
  if (s.told) return out;
  if (!outcome.ok() || made.frames.size() != 1) {
    s.told = true;
    out.finished = outcome.ok() ? error(status_code::internal, "a fold without a result") : outcome;
    return out;
  }
  s.is_folded = true;
  const auto plan = s.result_plan(s.me);
  if (plan.passes(s.self)) s.take(s.core.add(plan, {made.frames.front()}), out);
  if (s.gets_result()) {
    const auto id = s.result_stream(s.me);
    s.places[id] = {s.whole, s.slices.result_offset(s.me)};
    s.copy_locally(id, {made.frames.front()}, out);
  }
  s.advance(out);
  return out;
}

bulk_move::orders bulk_move::connected(rank peer) {
  orders out;
  state_->take(state_->core.connected(peer), out);
  return out;
}

contribution bulk_move::result() const {
  const auto& s = *state_;
  contribution out;
  if (!s.gets_result()) return out;
  if (is_fold(s.said)) {
    out.frames.push_back(s.whole.whole());
    return out;
  }
  for (std::uint32_t i = 0; i < s.held.size(); ++i) {
    if (const auto own = s.own.find(i); own != s.own.end())
      out.frames.push_back(own->second);
    else if (const auto at = s.places.find(i); at != s.places.end())
      out.frames.push_back(at->second.in.whole());
    else
      out.frames.emplace_back();
  }
  return out;
}

bool bulk_move::holds_back(const signature& said, const contribution& given) {
  if (said.kind == op_kind::join) return false;
  if (is_fold(said)) {
    // A signature that makes no sense is refused by the device that is to fold.
    const auto elements = checked_element_count(said.shape);
    return said.reduce && said.dtype && elements && *elements <= limits::elements_max &&
           order::partial_bytes(*said.reduce, *said.dtype, static_cast<std::size_t>(*elements)) >
               limits::held_back_above;
  }
  return given.bytes() > limits::held_back_above;
}

contribution bulk_move::stand_in(const signature& said, const contribution& given, rank self) {
  contribution out;
  out.held.push_back({self, given.bytes(), is_fold(said) ? given.parts : std::vector<subtree>{}});
  return out;
}

}  // namespace muster
