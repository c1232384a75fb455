#include <muster/examples/train_text/generate.hpp>

#include <algorithm>
#include <vector>

#include <muster/examples/train_text/elementary.hpp>
#include <muster/examples/train_text/keyed_random.hpp>

namespace train_text {
namespace {

std::uint8_t draw(std::vector<float> scores, float temperature, float unit) {
  const float top = *std::ranges::max_element(scores);
  float sum = 0;
  for (float& score : scores) sum += score = exp_of((score - top) / temperature);
  float left = unit * sum;
  for (std::size_t v = 0; v < scores.size(); ++v) {
    left -= scores[v];
    if (left < 0) return static_cast<std::uint8_t>(v);
  }
  return static_cast<std::uint8_t>(std::ranges::max_element(scores) -
                                   scores.begin());  // rounding used up the sum
}

}  // namespace

std::string generate(const model_shape& shape, std::span<const float> parameters,
                     const corpus& text, std::uint64_t seed, std::size_t characters,
                     float temperature) {
  keyed_random random(seed, purpose::generation);
  const auto prompt = text.codes().subspan(text.held_out_first() / 2, shape.context);
  std::vector<std::uint8_t> codes(prompt.begin(), prompt.end());
  std::string out;
  while (out.size() < characters) {
    codes.push_back(draw(next_character(shape, parameters, codes), temperature, random.unit()));
    out.push_back(text.character(codes.back()));
  }
  return out;
}

}  // namespace train_text
