#include <muster/devices/reduce.hpp>

#include <limits>
#include <optional>
#include <string>

#include <muster/devices/order.hpp>
#include <muster/messages/values/leaves.hpp>

namespace muster {

namespace {

constexpr std::uint64_t most_numbered_leaves = std::numeric_limits<std::int64_t>::max();

status broken(std::string rule) {
  return error(status_code::invalid_argument, "reduction: " + std::move(rule));
}

// Bytes of an element of a partial, which has no fewer than one of the array or the result.
std::size_t widest_of(const signature& said) {
  return order::partial_bytes(*said.reduce, *said.dtype, 1);
}

// Elements of an array of that shape, unless a dimension is negative or the bytes can't be counted. The
// shape may be a peer's, so element_count() with its assertion is not for it.
std::optional<std::size_t> countable_elements(const shape_vector& shape,
                                              std::size_t element_bytes) {
  std::size_t most = std::numeric_limits<std::size_t>::max() / element_bytes;
  std::size_t n = 1;
  for (auto dimension : shape) {
    if (dimension < 0) return std::nullopt;
    if (dimension == 0)
      n = 0;
    else if (n > most / static_cast<std::size_t>(dimension))
      return std::nullopt;
    else
      n *= static_cast<std::size_t>(dimension);
  }
  return n;
}

/// What is folded: leaves, in the arrays' dtype, or partials.
struct partials {
  bool are_leaves = false;
  std::vector<subtree> parts = {};
  std::vector<payload> frames = {};

  [[nodiscard]] std::size_t bytes_each(const signature& said, std::size_t elements) const {
    return are_leaves ? elements * size_of(*said.dtype)
                      : order::partial_bytes(*said.reduce, *said.dtype, elements);
  }
};

status check_frames(const partials& given, std::size_t bytes) {
  for (std::size_t i = 0; i < given.frames.size(); ++i) {
    if (given.frames[i].size() == bytes) continue;
    return broken("the partial for leaves " + to_string(given.parts[i]) + " has " +
                  std::to_string(given.frames[i].size()) + " bytes, the array has " +
                  std::to_string(bytes));
  }
  return {};
}

// What the plan leaves over that nobody was added to and nothing is to be done with: passed on untouched.
bool passes_on(const fold_expression& e, const signature& said, bool finish,
               const partials& given) {
  return e.postfix.size() == 1 && !finish &&
         (!given.are_leaves || order::leaf_is_partial(*said.reduce, *said.dtype));
}

// Shares in the inputs that the fold reads, and gives each a new index in the launch.
status share_inputs(device& on, std::vector<fold_expression>& expressions, const signature& said,
                    const partials& given, fold_launch& fold, started_reduction& started) {
  for (auto& e : expressions) {
    if (passes_on(e, said, fold.finish, given)) continue;
    for (auto& word : e.postfix) {
      if (word == fold_expression::combine) continue;
      auto shared = on.share_in(given.frames[word]);
      if (!shared) return shared.why();
      if (given.are_leaves) fold.leaves.push_back(given.parts[word].first);
      word = static_cast<std::uint32_t>(fold.inputs.size());
      fold.inputs.push_back(shared->data());
      started.inputs.push_back(std::move(*shared));
    }
  }
  return {};
}

status launch_fold(device& on, const signature& said, bool finish, const partials& given,
                   const fold_plan& plan, std::size_t elements, started_reduction& started) {
  const std::size_t bytes = finish ? elements * size_of(result_dtype(*said.reduce, *said.dtype))
                                   : order::partial_bytes(*said.reduce, *said.dtype, elements);
  auto expressions = expressions_of(plan, given.parts.size());
  fold_launch fold{.dtype = *said.dtype,
                   .op = *said.reduce,
                   .leaf_count = said.leaf_count,
                   .from_leaves = given.are_leaves,
                   .finish = finish,
                   .elements = elements};
  if (auto s = share_inputs(on, expressions, said, given, fold, started); !s.ok()) return s;
  std::vector<device_buffer> outputs;
  for (auto& e : expressions) {
    if (passes_on(e, said, finish, given)) continue;
    auto buffer = on.allocate(bytes);
    if (!buffer) return buffer.why();
    fold.outputs.push_back({buffer->data(), e});
    outputs.push_back(std::move(*buffer));
  }
  if (!fold.outputs.empty()) {
    if (auto s = on.launch(std::move(fold)); !s.ok()) return s;
  }
  auto next = outputs.begin();
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    if (passes_on(expressions[i], said, finish, given)) {
      started.result.frames.push_back(given.frames[plan.remaining[i]]);
      continue;
    }
    auto shared = on.share_out(std::move(*next++));
    if (!shared) return shared.why();
    started.result.frames.push_back(std::move(*shared));
  }
  return {};
}

result<started_reduction> start(device& on, const signature& said, bool finish,
                                const partials& given) {
  const auto elements = countable_elements(said.shape, widest_of(said));
  if (auto s = check_frames(given, given.bytes_each(said, *elements)); !s.ok()) return s;
  std::string why;
  const auto plan = plan_fold(said.leaf_count, given.parts, &why);
  if (!plan) return broken(why);
  if (finish && !is_whole(said.leaf_count, plan->cover)) {
    return broken("nobody gives leaves " + uncovered(said.leaf_count, plan->cover) + " of the " +
                  std::to_string(said.leaf_count));
  }
  started_reduction started;
  started.result.parts = plan->cover;
  if (*elements == 0) {
    started.result.frames.resize(plan->cover.size());
  } else if (auto s = launch_fold(on, said, finish, given, *plan, *elements, started); !s.ok()) {
    return s;
  }
  started.done = on.record();
  return started;
}

}  // namespace

status check_reduction(const signature& said) {
  if (combiner_of(said.kind) != combiner::fold)
    return broken(std::string(to_string(said.kind)) + " reduces nothing");
  if (!said.reduce) return broken("no reduction is named");
  if (!said.dtype) return broken("no dtype is named");
  if (!reduces(*said.reduce, *said.dtype)) {
    return broken("the arrays are " + std::string(to_string(*said.dtype)) + ", and " +
                  std::string(to_string(*said.reduce)) + " is " +
                  std::string(operands_of(*said.reduce)));
  }
  if (said.leaf_count == 0) return broken("leaf_count is 0, at least 1 is needed");
  if (*said.reduce == reduce_op::argmax && said.leaf_count > most_numbered_leaves) {
    return broken("leaf_count is " + std::to_string(said.leaf_count) +
                  ", and the leaves of an argmax are numbered in i64");
  }
  if (!countable_elements(said.shape, widest_of(said))) {
    return broken("shape " + to_string(said.shape) +
                  " has a negative dimension or more bytes than memory can hold");
  }
  return {};
}

result<started_reduction> start_cover(device& on, const signature& said,
                                      std::span<const std::pair<std::uint64_t, array>> leaves) {
  if (auto s = check_reduction(said); !s.ok()) return s;
  partials given{.are_leaves = true};
  for (const auto& [leaf, values] : leaves) {
    if (leaf >= said.leaf_count) {
      return broken("leaf " + std::to_string(leaf) + " of " + std::to_string(said.leaf_count));
    }
    if (values.dtype != *said.dtype || values.shape != said.shape) {
      return broken("leaf " + std::to_string(leaf) + " is " + std::string(to_string(values.dtype)) +
                    to_string(values.shape) + ", said was " + std::string(to_string(*said.dtype)) +
                    to_string(said.shape));
    }
    given.parts.push_back({leaf, leaf + 1});
    given.frames.push_back(values.data);
  }
  return start(on, said, false, given);
}

result<started_reduction> start_fold(device& on, const signature& said, bool finish,
                                     std::span<const contribution> inputs) {
  if (auto s = check_reduction(said); !s.ok()) return s;
  partials given;
  for (const auto& input : inputs) {
    if (input.parts.size() != input.frames.size()) {
      return broken(std::to_string(input.parts.size()) + " parts come with " +
                    std::to_string(input.frames.size()) + " frames");
    }
    given.parts.insert(given.parts.end(), input.parts.begin(), input.parts.end());
    given.frames.insert(given.frames.end(), input.frames.begin(), input.frames.end());
  }
  return start(on, said, finish, given);
}

}  // namespace muster
