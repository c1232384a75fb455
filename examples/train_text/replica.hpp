// One host's copy of what is trained, and which leaves its devices compute. Shared by the trainer's
// coroutine and the functions it launches, which never run at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <muster/examples/train_text/adamw.hpp>
#include <muster/examples/train_text/corpus.hpp>
#include <muster/examples/train_text/model.hpp>
#include <muster/examples/train_text/train_options.hpp>
#include <muster/messages/values/array.hpp>

namespace train_text {

/// Leaves [first, last) of `leaves`, those of device `index` of `devices`: contiguous, nearly equal.
struct leaf_range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  friend bool operator==(const leaf_range&, const leaf_range&) = default;
};
leaf_range leaves_of(std::uint32_t index, std::uint32_t devices, std::uint32_t leaves);

class replica {
 public:
  replica(std::shared_ptr<const corpus> text, const train_options& options);

  [[nodiscard]] const corpus& text() const { return *text_; }
  [[nodiscard]] const train_options& options() const { return options_; }
  [[nodiscard]] const model_shape& shape() const { return shape_; }
  [[nodiscard]] const std::vector<float>& parameters() const { return parameters_; }

  /// Begins from these; invalid_argument when they are not parameter_count() values of f32.
  muster::status begin(const muster::array& parameters);

  /// What leaf `leaf` of step `step` contributes: the gradient of its samples' mean loss, and after it that
  /// loss. The mean over all leaves is the batch's.
  [[nodiscard]] muster::array gradient(std::uint64_t step, std::uint32_t leaf) const;
  /// Takes that mean; returns the loss.
  float apply(const muster::array& mean);

  /// What leaf `leaf` of an evaluation contributes: the summed loss of its part of the held-out characters.
  [[nodiscard]] muster::array held_out_part(std::uint32_t leaf) const;
  /// The loss per character from the sum over all leaves.
  [[nodiscard]] double held_out_loss(const muster::array& sum) const;

 private:
  std::shared_ptr<const corpus> text_;
  train_options options_;
  model_shape shape_;
  std::vector<float> parameters_;
  adamw optimizer_;
};

}  // namespace train_text
