// The gradient of one micro-batch, and the loss on held-out text. Pure functions of their arguments: which
// host or device calls them, and what else it computes, changes no bit. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <muster/examples/train_text/corpus.hpp>
#include <muster/examples/train_text/model.hpp>

namespace train_text {

/// Some samples of one step's batch. A sample's text position and dropout masks are keyed by (seed,
/// step, sample number).
struct micro_batch {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::uint32_t first_sample = 0;
  std::uint32_t sample_count = 0;
};

/// The part of the inputs and of the hidden units that a training sample does without.
struct dropout_rates {
  float context = 0.2F;
  float hidden = 0.3F;
};

/// Overwrites `gradient`, of parameter_count() elements, with that of the mean loss of the samples, which
/// are added up in ascending order. Returns the mean loss in nats.
float micro_batch_gradient(const model_shape&, std::span<const float> parameters, const corpus&,
                           const micro_batch&, const dropout_rates&, std::span<float> gradient);

/// The sum of the losses, in nats, of the characters at positions [first, last), without dropout.
/// `first` is at least the context.
double loss_between(const model_shape&, std::span<const float> parameters, const corpus&,
                    std::size_t first, std::size_t last);

}  // namespace train_text
