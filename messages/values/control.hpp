// A plain struct for every control message. The wire codec turns each into Protobuf and back; protocol
// cores know only these. "Up" goes to the parent in the tree and is state: saying it twice changes
// nothing. "Down" goes to the children and is a log: verdicts reach every node in order of number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <muster/messages/values/leaves.hpp>
#include <muster/messages/values/member.hpp>
#include <muster/messages/values/operation.hpp>
#include <muster/messages/values/payload.hpp>
#include <muster/messages/values/rank_set.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

/// What is too large to travel inside of messages stays with its host, and only this is said of it.
struct held_part {
  rank of{};
  std::uint64_t bytes = 0;
  std::vector<subtree> parts;  // fold only
  friend bool operator==(const held_part&, const held_part&) = default;
};

/// What a member gives and what an operation results in. Frames are raw bytes and travel beside the header.
///   nothing      no frames
///   one          the source's frames
///   concatenate  one frame per rank, in rank order
///   fold         one frame per part: the partial that stands for that subtree of the leaves, in the
///                accumulation type, dense
struct contribution {
  std::vector<subtree> parts;  // fold only; as many as frames
  std::vector<payload> frames;
  std::vector<held_part> held{};  // instead of frames, in rank order: the data moves host to host
  [[nodiscard]] std::size_t bytes() const {
    std::size_t n = 0;
    for (const auto& f : frames) n += f.size();
    return n;
  }
  friend bool operator==(const contribution&, const contribution&) = default;
};

/// Remaining time when the message was made: durations, since clocks differ. The earliest counts.
struct deadlines {
  duration soft{};
  duration hard{};
  friend bool operator==(const deadlines&, const deadlines&) = default;
};

// ---- up

/// The subtree has its first arrival (or news: an earlier deadline, another signature, a leaver).
struct opened {
  operation_key key;
  deadlines remaining;
  std::vector<statement> said;  // whom we know to have arrived, by what they said
  friend bool operator==(const opened&, const opened&) = default;
};

/// Every rank of the subtree has arrived and said the same.
struct complete {
  operation_key key;
  deadlines remaining;
  signature said;
  muster::contribution contribution;
  friend bool operator==(const complete&, const complete&) = default;
};

/// The answer to `close`: exactly who of the subtree has arrived, as far as this node knows.
struct closed {
  operation_key key;
  rank_set arrived;
  bool final = false;     // every node of the subtree has answered
  std::uint32_t ask = 0;  // of the `close` that this answers
  friend bool operator==(const closed&, const closed&) = default;
};

/// What the ranks of a subtree wait for. Replaces the subtree's earlier report.
struct intents {
  struct wait {
    operation_key key;
    rank_set ranks;
    duration oldest{};  // the longest of these waits
    friend bool operator==(const wait&, const wait&) = default;
  };
  std::vector<wait> waits;
  std::uint64_t omitted = 0;  // operations beyond limits::intents_max
  friend bool operator==(const intents&, const intents&) = default;
};

/// A member asks for the operation to fail: it cancels, aborts, or met an error. The first one wins. An abort may come
/// before anyone has called the operation; `members` then says who will (empty: everyone).
struct fail {
  operation_key key;
  status cause;
  rank_set members{};
  friend bool operator==(const fail&, const fail&) = default;
};

/// A rank has outcomes that it never took: these names at their limit, or everything. Replaces what was
/// said of that rank before; empty and not `everything` means that it has caught up.
struct behind {
  rank who{};
  std::vector<operation_key> names;
  bool ordered = false;
  bool everything = false;
  friend bool operator==(const behind&, const behind&) = default;
};

/// Every rank of the subtree has all the data that it is to get.
struct delivered {
  operation_key key;
  friend bool operator==(const delivered&, const delivered&) = default;
};

/// Only the `decided_through` that every message up carries.
struct acknowledge {
  friend bool operator==(const acknowledge&, const acknowledge&) = default;
};

// ---- down

/// The root's decision, kept by every node until its children have acknowledged it.
struct verdict {
  verdict_number number{};
  operation_key key;
  status outcome;
  bool counts = true;  // a member that had not joined the operation finds this outcome later
  contribution result;
  rank_set members{};              // whose operation it was; empty: everyone's
  std::optional<rank> only_for{};  // who alone gets the result
  friend bool operator==(const verdict&, const verdict&) = default;
};

/// Report exactly who has arrived.
struct close {
  operation_key key;
  std::uint32_t ask =
      0;  // the root may ask more than once; a late answer to an earlier ask is not exact
  friend bool operator==(const close&, const close&) = default;
};

/// All have arrived, and what they hold moves now.
struct proceed {
  operation_key key;
  std::vector<held_part> held;  // of all members, in rank order
  friend bool operator==(const proceed&, const proceed&) = default;
};

/// The soft deadline has passed: who is missing so far. Nothing has failed.
struct stalled {
  operation_key key;
  std::uint32_t arrived = 0;
  std::uint32_t expected = 0;
  std::vector<absence> absences;
  duration waited{};
  bool moving = false;  // all have arrived; counted are those that have their data
  friend bool operator==(const stalled&, const stalled&) = default;
};
std::string to_string(
    const stalled&);  // "barrier 'x': 3 of 4 have arrived after 2 s; rank 2 has not arrived"

// ---- beside the tree

/// Where the root listens, from the launcher or from any live member.
struct root_at {
  std::string control_endpoint;
  std::string bulk_endpoint;
  friend bool operator==(const root_at&, const root_at&) = default;
};

// ---- beside the tree: from host to host

/// Bytes of a stream, on the bulk lane; which streams an operation has follows from what all said (exchange_plan.hpp).
struct chunk {
  operation_key key;
  std::uint32_t stream = 0;
  std::uint64_t offset = 0;
  payload bytes;
  friend bool operator==(const chunk&, const chunk&) = default;
};

/// The receiver has a stream's bytes up to here, and the sender may send as many more.
struct chunk_ack {
  operation_key key;
  std::uint32_t stream = 0;
  std::uint64_t offset = 0;
  friend bool operator==(const chunk_ack&, const chunk_ack&) = default;
};

using message =
    std::variant<opened, complete, closed, intents, fail, behind, delivered, acknowledge,  // up
                 verdict, close, proceed, stalled,                                         // down
                 root_at, chunk, chunk_ack>;

/// One control message on its way. The payload frames of a contribution or result travel outside the
/// Protobuf header and are put back by the codec.
struct envelope {
  muster::generation generation{};
  verdict_number decided_through{};  // of the sender; meaningful in messages up
  message body;
  rank_set group{};  // whose tree it travels on; empty: the world's
  friend bool operator==(const envelope&, const envelope&) = default;
};

}  // namespace muster
