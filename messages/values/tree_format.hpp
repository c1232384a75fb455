// How a tree looks as bytes, for pack and unpack alone; constants, any thread. A node is a tag and what
// follows it; numbers are little-endian, counts and lengths have 64 bits.
//
//   pack     "muster tree 1\n" node, and nothing after it
//   dict     1 count { length key node }
//   list     2 count { node }
//   tuple    3 count { node }
//   array    4 dtype(1 byte) rank { dimension } zeros up to a multiple of 64 from the start, elements
//   text     5 length bytes
//   bytes    6 length bytes
//   integer  7 value(8 bytes, two's complement)
//   double   8 value(8 bytes, its bits)
//   boolean  9 value(1 byte, 0 or 1)
//
// Nothing is said twice (an array's length follows from dtype and shape), so nothing can contradict itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace muster::tree_format {

inline constexpr std::string_view magic = "muster tree 1\n";
inline constexpr std::size_t array_alignment = 64;

enum class tag : std::uint8_t {
  dict = 1,
  list,
  tuple,
  array,
  text,
  bytes,
  integer,
  floating,
  boolean
};

constexpr std::size_t padding_at(std::size_t offset) {
  return (array_alignment - offset % array_alignment) % array_alignment;
}

}  // namespace muster::tree_format
