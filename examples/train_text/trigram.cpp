#include <muster/examples/train_text/trigram.hpp>

#include <cstdint>
#include <map>

#include <muster/examples/train_text/elementary.hpp>

namespace train_text {

double trigram_loss(const corpus& text) {
  const auto codes = text.codes();
  const auto key = [&](std::size_t last, std::size_t characters) {
    std::uint32_t k = 0;
    for (std::size_t i = last + 1 - characters; i <= last; ++i) k = k << 8 | codes[i];
    return k;
  };
  std::map<std::uint32_t, std::uint32_t> pairs;
  std::map<std::uint32_t, std::uint32_t> triples;
  for (std::size_t i = 2; i < text.held_out_first(); ++i) {
    ++pairs[key(i - 1, 2)];
    ++triples[key(i, 3)];
  }
  const auto count = [](const auto& counts, std::uint32_t k) {
    const auto found = counts.find(k);
    return found == counts.end() ? 0.0 : static_cast<double>(found->second);
  };
  double sum = 0;
  for (std::size_t i = text.held_out_first(); i < text.held_out_last(); ++i) {
    const double probability =
        (count(triples, key(i, 3)) + 1) / (count(pairs, key(i - 1, 2)) + text.vocabulary());
    sum -= log_of(probability);
  }
  return sum / static_cast<double>(text.held_out_last() - text.held_out_first());
}

}  // namespace train_text
