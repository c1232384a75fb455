// A reduction that is cut so that each piece travels in one message. For the trainer's coroutine.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/messages/values/array.hpp>
#include <muster/runtime/device_cover.hpp>
#include <muster/runtime/host.hpp>
#include <muster/runtime/task.hpp>

namespace train_text {

/// host.all_reduce of what this host's devices compute: the leaves that leaves_of gives them, arrays of one
/// dimension. A host whose leaves are no subtree of the reduction order has several partials to send, and
/// all of them must fit into limits::inline_bytes_max; so every host cuts the arrays into the same ranges of
/// elements. The order is element by element: cutting changes no bit. The covers must live until it ends.
muster::task<muster::array> reduce_in_pieces(muster::host& host, std::uint32_t leaves,
                                             const std::vector<muster::device_cover>& covers,
                                             muster::reduce_op how);

}  // namespace train_text
