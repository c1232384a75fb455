// How a rank_set looks on the wire.
//
//   1  then for each range two varints: ranks skipped since the last range, ranks in it less one
//   2  then the first rank as a varint and a bitmap from it on: bit i of byte j is rank first + 8 j + i
//
// What a rule forbids can hardly be said: ranges are written as distances, so they are sorted and never
// touch. Varints are little-endian groups of seven bits.
#include <algorithm>

#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/rank_set.hpp>

namespace muster {

namespace {

constexpr char ranges_tag = 1;
constexpr char bitmap_tag = 2;

void append_varint(std::string& out, std::uint32_t v) {
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  out += static_cast<char>(v);
}

std::string encode_ranges(const std::vector<rank_set::range>& ranges) {
  std::string out(1, ranges_tag);
  std::uint32_t next = 0;  // the first rank that the next range may start with
  for (const auto& r : ranges) {
    append_varint(out, r.first - next);
    append_varint(out, r.last - r.first);
    next = r.last + 2;  // after the last range it may wrap, and is not used
  }
  return out;
}

std::string encode_bitmap(const std::vector<rank_set::range>& ranges) {
  std::string out(1, bitmap_tag);
  const std::uint32_t first = ranges.front().first;
  append_varint(out, first);
  const std::size_t start = out.size();
  out.resize(start + (ranges.back().last - first) / 8 + 1, '\0');
  for (const auto& r : ranges) {
    for (std::uint32_t bit = r.first - first; bit <= r.last - first; ++bit) {
      char& byte = out[start + bit / 8];
      byte = static_cast<char>(static_cast<unsigned char>(byte) | (1u << (bit % 8)));
    }
  }
  return out;
}

/// Takes a varint of a value below world_size_max off the front.
std::optional<std::uint32_t> take_varint(std::string_view& bytes) {
  std::uint32_t v = 0;
  for (unsigned shift = 0; shift < 21 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    v |= std::uint32_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return v < limits::world_size_max ? std::optional(v) : std::nullopt;
  }
  return {};
}

std::optional<rank_set> decode_ranges(std::string_view bytes) {
  rank_set out;
  std::uint32_t next = 0;
  while (!bytes.empty()) {
    const auto skipped = take_varint(bytes);
    const auto more = skipped ? take_varint(bytes) : std::nullopt;
    if (!more) return {};
    const std::uint32_t first = next + *skipped;
    const std::uint32_t last = first + *more;
    if (last >= limits::world_size_max) return {};
    out.insert_range(rank{first}, rank{last});
    next = last + 2;
  }
  return out;
}

std::optional<rank_set> decode_bitmap(std::string_view bytes) {
  const auto first = take_varint(bytes);
  if (!first || bytes.size() > limits::world_size_max / 8) return {};
  rank_set out;
  for (std::uint32_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    if (((static_cast<unsigned char>(bytes[bit / 8]) >> (bit % 8)) & 1u) == 0) continue;
    if (*first + bit >= limits::world_size_max) return {};
    out.insert(rank{*first + bit});
  }
  return out;
}

}  // namespace

std::string rank_set::encode() const {
  std::string ranges = encode_ranges(ranges_);
  if (empty()) return ranges;
  // Compared by a bound before it is built: a set of 0 and 4,000,000,000 has no bitmap worth having.
  const std::size_t bitmap_bytes = (ranges_.back().last - ranges_.front().first) / 8 + 1;
  if (bitmap_bytes >= ranges.size()) return ranges;
  std::string bitmap = encode_bitmap(ranges_);
  return bitmap.size() < ranges.size() ? bitmap : ranges;
}

std::optional<rank_set> rank_set::decode(std::string_view bytes) {
  if (bytes.empty()) return {};
  std::optional<rank_set> out;
  if (bytes.front() == ranges_tag)
    out = decode_ranges(bytes.substr(1));
  else if (bytes.front() == bitmap_tag)
    out = decode_bitmap(bytes.substr(1));
  // One set has one spelling. This refuses the longer of the two forms, padded varints, and bitmaps that
  // start or end with nothing.
  if (out && out->encode() != bytes) return {};
  return out;
}

}  // namespace muster
