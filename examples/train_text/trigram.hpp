// What the network has to beat: an add-one table of three characters. A pure function; any thread.
#pragma once

#include <muster/examples/train_text/corpus.hpp>

namespace train_text {

/// Counts which character follows each pair in the training part, adds one to every count, and returns
/// the mean negative logarithm of the probability of the evaluated held-out characters, in nats per
/// character. Pairs that never occurred predict the uniform distribution.
double trigram_loss(const corpus&);

}  // namespace train_text
