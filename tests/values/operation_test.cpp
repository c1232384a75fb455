#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <muster/messages/values/operation.hpp>

namespace muster {
namespace {

signature reduction() {
  signature s;
  s.kind = op_kind::all_reduce;
  s.name = "grads";
  s.reduce = reduce_op::mean;
  s.dtype = dtype::f32;
  s.shape = {2, 3};
  s.leaf_count = 64;
  return s;
}

TEST(OperationKey, PrintsWhatItMatchesBy) {
  EXPECT_EQ(to_string(operation_key{ordered_key{7}}), "operation 7");
  EXPECT_EQ(to_string(operation_key{named_key{op_kind::barrier, "data-ready"}}),
            "barrier 'data-ready'");
  EXPECT_EQ(to_string(operation_key{named_key{op_kind::barrier, ""}}), "barrier ''");
  EXPECT_EQ(to_string(operation_key{named_key{op_kind::leave, ""}}), "leave");
}

TEST(OperationKey, WithAnyNameStaysOnOneLine) {
  EXPECT_EQ(to_string(operation_key{named_key{op_kind::barrier, "a'\nb"}}), R"(barrier 'a\'\nb')");
}

TEST(OperationKey, OfOneNameAndTwoKindsIsTwoKeys) {
  EXPECT_NE(operation_key(named_key{op_kind::barrier, "x"}),
            operation_key(named_key{op_kind::join, "x"}));
}

TEST(Signature, PrintsEveryFieldThatItsKindUses) {
  EXPECT_EQ(to_string(reduction()), "all_reduce 'grads' mean of f32 (2, 3) over 64 leaves");
  EXPECT_EQ(to_string(signature{op_kind::broadcast_one_to_all, "config", rank{3}, {}, {}, {}, 0}),
            "broadcast_one_to_all 'config' from rank 3");
  EXPECT_EQ(to_string(signature{op_kind::join, "job", {}, {}, {}, {}, 8}), "join 'job' of 8 hosts");
  EXPECT_EQ(to_string(signature{op_kind::sync_global_devices, "epoch", {}, {}, {}, {}, 0}),
            "sync_global_devices 'epoch'");
  EXPECT_EQ(to_string(signature{op_kind::leave, "", {}, {}, {}, {}, 0}), "leave");
}

TEST(Signature, ThatDiffersInAnyUsedFieldPrintsDifferently) {
  const auto text = to_string(reduction());
  for (auto change :
       {+[](signature& s) { s.name = "params"; }, +[](signature& s) { s.reduce = reduce_op::sum; },
        +[](signature& s) { s.reduce.reset(); }, +[](signature& s) { s.dtype = dtype::f64; },
        +[](signature& s) { s.dtype.reset(); },
        +[](signature& s) {
          s.shape = {3, 2};
        },
        +[](signature& s) { s.leaf_count = 65; }}) {
    auto other = reduction();
    change(other);
    EXPECT_NE(other, reduction());
    EXPECT_NE(to_string(other), text);
  }
}

// ---- what two signatures mean together

signature broadcast(std::optional<rank> source, std::string_view outline = "") {
  signature s;
  s.kind = op_kind::broadcast_one_to_all;
  s.source = source;
  s.outline = payload::copy_of(outline);
  return s;
}

TEST(AgreedSignature, OfTwoThatAreEqualIsTheSame) {
  EXPECT_EQ(agreed(reduction(), reduction()), reduction());
  EXPECT_EQ(agreed(broadcast(rank{1}, "tree"), broadcast(rank{1}, "tree")),
            broadcast(rank{1}, "tree"));
}

TEST(AgreedSignature, TakesTheSourceFromWhoeverStatesIt) {
  EXPECT_EQ(agreed(broadcast(rank{1}), broadcast({})), broadcast(rank{1}));
  EXPECT_EQ(agreed(broadcast({}), broadcast(rank{1})), broadcast(rank{1}));
  EXPECT_EQ(agreed(broadcast({}), broadcast({})), broadcast({}));
}

TEST(AgreedSignature, TakesTheOutlineFromWhoeverGivesOne) {
  EXPECT_EQ(agreed(broadcast(rank{1}, "tree"), broadcast(rank{1})), broadcast(rank{1}, "tree"));
  EXPECT_EQ(agreed(broadcast({}, "tree"), broadcast(rank{1})), broadcast(rank{1}, "tree"))
      << "one thing from each";
}

TEST(AgreedSignature, IsNoneWhereSourcesOrOutlinesAreStatedAndDiffer) {
  EXPECT_EQ(agreed(broadcast(rank{1}), broadcast(rank{2})), std::nullopt);
  EXPECT_EQ(agreed(broadcast(rank{1}, "tree"), broadcast(rank{1}, "bush")), std::nullopt);
  EXPECT_EQ(agreed(broadcast({}, "tree"), broadcast(rank{1}, "bush")), std::nullopt);
}

/// Each changes one field that must be equal on both sides, whether or not it was set before.
const std::vector<void (*)(signature&)> changes_that_matter = {
    [](signature& s) { s.kind = s.kind == op_kind::gather ? op_kind::reduce : op_kind::gather; },
    [](signature& s) { s.name += "x"; },
    [](signature& s) {
      s.reduce = s.reduce == reduce_op::sum ? std::nullopt : std::optional(reduce_op::sum);
    },
    [](signature& s) { s.dtype = s.dtype == dtype::i8 ? std::nullopt : std::optional(dtype::i8); },
    [](signature& s) { s.shape.push_back(1); },
    [](signature& s) { ++s.leaf_count; },
    [](signature& s) { s.target = s.target ? std::nullopt : std::optional(rank{0}); },
    [](signature& s) {
      if (s.members.empty())
        s.members.insert(rank{0});
      else
        s.members = {};
    },
};

TEST(AgreedSignature, IsNoneWhereAnyOtherFieldDiffersEvenIfOneSideLacksIt) {
  for (const auto change : changes_that_matter) {
    for (const auto& before : {reduction(), broadcast(rank{1}), broadcast({}, "tree")}) {
      auto after = before;
      change(after);
      EXPECT_EQ(agreed(before, after), std::nullopt) << to_string(after);
    }
  }
}

/// From so few values that two often agree.
signature random_signature() {
  const auto coin = [] { return *rc::gen::inRange(0, 2) == 1; };
  auto s = coin() ? reduction() : broadcast({});
  if (coin()) s.source = rank{*rc::gen::inRange<std::uint32_t>(0, 2)};
  if (coin()) s.outline = payload::copy_of(coin() ? "tree" : "bush");
  if (coin() && coin()) changes_that_matter[*rc::gen::inRange<std::size_t>(0, 8)](s);
  return s;
}

RC_GTEST_PROP(AgreedSignature, IsTheSameWhoeverComesFirst, ()) {
  const auto a = random_signature(), b = random_signature();
  const auto both = agreed(a, b);
  RC_CLASSIFY(both.has_value());
  RC_ASSERT(both == agreed(b, a));
}

RC_GTEST_PROP(AgreedSignature, AgreesWithBothAndAddsNothingToThem, ()) {
  const auto a = random_signature(), b = random_signature();
  const auto both = agreed(a, b);
  if (!both) return;
  RC_ASSERT(agreed(*both, a) == both);
  RC_ASSERT(agreed(b, *both) == both);
  RC_ASSERT(both->source == (a.source ? a.source : b.source));
  RC_ASSERT(both->outline == (a.outline.empty() ? b.outline : a.outline));
}

RC_GTEST_PROP(AgreedSignature, OfSeveralIsTheSameInWhateverOrderTheyCome, ()) {
  const auto a = random_signature(), b = random_signature(), c = random_signature();
  const auto all = [](const signature& x, const signature& y, const signature& z) {
    const auto two = agreed(x, y);
    return two ? agreed(*two, z) : std::nullopt;
  };
  RC_ASSERT(all(a, b, c) == all(c, a, b));
  RC_ASSERT(all(a, b, c) == all(b, c, a));
}

RC_GTEST_PROP(AgreedSignature, IsNoneAfterAChangeOfAnyFieldButSourceAndOutline, ()) {
  const auto before = random_signature();
  auto after = before;
  changes_that_matter[*rc::gen::inRange<std::size_t>(0, 8)](after);
  RC_ASSERT(agreed(before, after) == std::nullopt);
}

TEST(ReduceOp, HasAResultOfItsArraysTypeUnlessItIsANumberOfALeaf) {
  EXPECT_EQ(result_dtype(reduce_op::norm, dtype::bf16), dtype::bf16);
  EXPECT_EQ(result_dtype(reduce_op::max, dtype::boolean), dtype::boolean);
  EXPECT_EQ(result_dtype(reduce_op::argmax, dtype::u8), dtype::i64);
}

TEST(OpKind, HasOneCombiner) {
  EXPECT_EQ(combiner_of(op_kind::join), combiner::concatenate);
  EXPECT_EQ(combiner_of(op_kind::leave), combiner::nothing);
  EXPECT_EQ(combiner_of(op_kind::barrier), combiner::nothing);
  EXPECT_EQ(combiner_of(op_kind::sync_global_devices), combiner::nothing);
  EXPECT_EQ(combiner_of(op_kind::broadcast_one_to_all), combiner::one);
  EXPECT_EQ(combiner_of(op_kind::all_reduce), combiner::fold);
  EXPECT_EQ(combiner_of(op_kind::reduce), combiner::fold);
  EXPECT_EQ(combiner_of(op_kind::reduce_scatter), combiner::fold);
  EXPECT_EQ(combiner_of(op_kind::assert_equal), combiner::nothing);
  EXPECT_EQ(combiner_of(op_kind::broadcast), combiner::one);
  EXPECT_EQ(combiner_of(op_kind::process_allgather), combiner::concatenate);
  EXPECT_EQ(combiner_of(op_kind::gather), combiner::concatenate);
  EXPECT_EQ(combiner_of(op_kind::all_gather), combiner::concatenate);
}

TEST(OpKind, IsNamedWhenItNeitherMovesDataNorOrdersTheProgram) {
  EXPECT_TRUE(is_named(op_kind::join));
  EXPECT_TRUE(is_named(op_kind::leave));
  EXPECT_TRUE(is_named(op_kind::barrier));
  EXPECT_FALSE(is_named(op_kind::sync_global_devices));
  EXPECT_FALSE(is_named(op_kind::broadcast_one_to_all));
  EXPECT_FALSE(is_named(op_kind::all_reduce));
  EXPECT_FALSE(is_named(op_kind::assert_equal));
  EXPECT_FALSE(is_named(op_kind::gather));
}

}  // namespace
}  // namespace muster
