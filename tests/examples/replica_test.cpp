#include <muster/examples/train_text/replica.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <vector>

#include <muster/examples/train_text/gradient.hpp>
#include <muster/tests/examples/texts.hpp>

namespace train_text {
namespace {

using muster::array;

std::shared_ptr<const corpus> shared_text() {
  return std::make_shared<const corpus>(small_corpus());
}

replica begun(const train_options& options = {}) {
  replica r(shared_text(), options);
  EXPECT_TRUE(r.begin(array::of(initial_parameters(r.shape(), options.seed))).ok());
  return r;
}

TEST(LeavesOf, AreContiguousBalancedAndAllOfThem) {
  for (const std::uint32_t devices : {1U, 3U, 5U, 8U, 16U}) {
    std::uint32_t next = 0;
    for (std::uint32_t d = 0; d < devices; ++d) {
      const leaf_range mine = leaves_of(d, devices, 16);
      EXPECT_EQ(mine.first, next);
      EXPECT_GE(mine.last - mine.first, 16 / devices);
      EXPECT_LE(mine.last - mine.first, (16 + devices - 1) / devices);
      next = mine.last;
    }
    EXPECT_EQ(next, 16U);
  }
}

TEST(Replica, BeginsFromParametersOfItsOwnShapeOnly) {
  replica r(shared_text(), {});
  const muster::status why = r.begin(array::of(std::vector<float>(3)));
  EXPECT_EQ(why.code, muster::status_code::invalid_argument);
  EXPECT_THAT(why.text, testing::HasSubstr("have shape (3,)"));
  EXPECT_FALSE(r.begin(array{}).ok());
  EXPECT_FALSE(r.begin(array::of(std::vector<double>(r.shape().parameter_count()))).ok());
}

TEST(Replica, ALeafIsTheGradientOfItsOwnSamplesWithTheirLossBehind) {
  const replica r = begun({.seed = 5, .leaves = 16});
  const auto leaf = r.gradient(7, 3).copy_elements<float>();
  std::vector<float> wanted(r.shape().parameter_count());
  const micro_batch samples{.seed = 5, .step = 7, .first_sample = 12, .sample_count = 4};
  const float loss = micro_batch_gradient(r.shape(), r.parameters(), r.text(), samples, {}, wanted);
  wanted.push_back(loss);
  EXPECT_EQ(leaf, wanted);
}

TEST(Replica, ReplicasThatApplyTheSameMeanStayEqual) {
  replica a = begun();
  replica b = begun();
  for (std::uint64_t step = 0; step < 3; ++step) {
    const array mean = a.gradient(step, 0);
    EXPECT_EQ(a.apply(mean), mean.copy_elements<float>().back());
    b.apply(mean);
  }
  EXPECT_EQ(a.parameters(), b.parameters());
  EXPECT_NE(a.parameters(), begun().parameters());
}

TEST(Replica, TheLeavesOfAnEvaluationAreTheHeldOutPart) {
  const replica r = begun();
  double sum = 0;
  for (std::uint32_t leaf = 0; leaf < 16; ++leaf)
    sum += r.held_out_part(leaf).copy_elements<double>()[0];
  const corpus& text = r.text();
  const double wanted =
      loss_between(r.shape(), r.parameters(), text, text.held_out_first(), text.held_out_last());
  EXPECT_NEAR(sum, wanted, 1e-6);
  EXPECT_NEAR(r.held_out_loss(array::of(std::vector<double>{sum})), wanted / 300, 1e-9);
}

}  // namespace
}  // namespace train_text
