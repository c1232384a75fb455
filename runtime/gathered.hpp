// Many alike trees as one: what a gather over hosts results in. Pure; any thread.
#pragma once

#include <span>

#include <muster/messages/values/array.hpp>
#include <muster/messages/values/tree.hpp>

namespace muster {

/// How parts stand in the whole: along a new first dimension, or one after the other along their own first one.
enum class gather_shape : std::uint8_t { stacked, tiled };

/// The arrays have one dtype and shape and are at least one (asserted). Without dimensions they become (n,) both ways.
array gathered(std::span<const array> parts, gather_shape);

/// The trees have equal outlines and are at least one (asserted). Scalars become arrays (n,), strings and bytes lists.
tree gathered(std::span<const tree> parts, gather_shape);

}  // namespace muster
