// Text from a model: what it has learned, for a person to read. A pure function; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <muster/examples/train_text/corpus.hpp>
#include <muster/examples/train_text/model.hpp>

namespace train_text {

/// `characters` characters that follow a few from the middle of the training part, drawn by `seed`. A temperature
/// below 1 prefers what is likely; it is greater than 0.
std::string generate(const model_shape&, std::span<const float> parameters, const corpus&,
                     std::uint64_t seed, std::size_t characters, float temperature = 0.6F);

}  // namespace train_text
