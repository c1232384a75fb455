#include <muster/examples/train_text/replica.hpp>

#include <span>
#include <string>
#include <utility>

#include <muster/examples/train_text/gradient.hpp>

namespace train_text {

leaf_range leaves_of(std::uint32_t index, std::uint32_t devices, std::uint32_t leaves) {
  const auto begin = [&](std::uint64_t i) {
    return static_cast<std::uint32_t>(i * leaves / devices);
  };
  return {begin(index), begin(std::uint64_t{index} + 1)};
}

replica::replica(std::shared_ptr<const corpus> text, const train_options& options)
    : text_(std::move(text)),
      options_(options),
      shape_{.vocabulary = text_->vocabulary()},
      optimizer_({}, shape_.parameter_count(), options.steps) {}

muster::status replica::begin(const muster::array& parameters) {
  const muster::shape_vector wanted{static_cast<std::int64_t>(shape_.parameter_count())};
  if (parameters.dtype != muster::dtype::f32 || parameters.shape != wanted) {
    return muster::error(muster::status_code::invalid_argument,
                         "the parameters to begin from have shape " +
                             muster::to_string(parameters.shape) + ": this model has " +
                             muster::to_string(wanted));
  }
  parameters_ = parameters.copy_elements<float>();
  return {};
}

muster::array replica::gradient(std::uint64_t step, std::uint32_t leaf) const {
  const std::uint32_t samples = batch_samples / options_.leaves;
  std::vector<float> values(shape_.parameter_count() + 1);
  values.back() = micro_batch_gradient(shape_, parameters_, *text_,
                                       {options_.seed, step, leaf * samples, samples}, {},
                                       std::span(values).first(shape_.parameter_count()));
  return muster::array::of(std::move(values));
}

float replica::apply(const muster::array& mean) {
  const std::vector<float> values = mean.copy_elements<float>();
  optimizer_.apply(std::span(values).first(parameters_.size()), parameters_);
  return values.back();
}

muster::array replica::held_out_part(std::uint32_t leaf) const {
  const std::size_t first = text_->held_out_first();
  const std::size_t count = text_->held_out_last() - first;
  const auto at = [&](std::size_t l) { return first + count * l / options_.leaves; };
  return muster::array::of(std::vector<double>{
      loss_between(shape_, parameters_, *text_, at(leaf), at(std::size_t{leaf} + 1))});
}

double replica::held_out_loss(const muster::array& sum) const {
  return sum.copy_elements<double>().front() /
         static_cast<double>(text_->held_out_last() - text_->held_out_first());
}

}  // namespace train_text
