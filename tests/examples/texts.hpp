// Small texts for the tests of the trainer's model.
#pragma once

#include <cstddef>
#include <string>

#include <muster/examples/train_text/corpus.hpp>
#include <muster/examples/train_text/model.hpp>

namespace train_text {

/// `unit` again and again, cut at `length`.
inline std::string repeat(const std::string& unit, std::size_t length) {
  std::string text;
  while (text.size() < length) text += unit;
  text.resize(length);
  return text;
}

inline corpus text_of(const std::string& text) { return corpus::of(text, "test").value(); }

/// A vocabulary of 13, which is no multiple of 4.
inline corpus small_corpus() {
  return text_of(repeat("the cat sat on a mat; then it ran off. ", 3'000));
}

inline model_shape small_shape(const corpus& text) {
  return {.vocabulary = text.vocabulary(), .context = 3, .embedding = 4, .hidden = 8};
}

}  // namespace train_text
