#include <gtest/gtest.h>

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
}

TEST(OpKind, IsNamedWhenItNeitherMovesDataNorOrdersTheProgram) {
  EXPECT_TRUE(is_named(op_kind::join));
  EXPECT_TRUE(is_named(op_kind::leave));
  EXPECT_TRUE(is_named(op_kind::barrier));
  EXPECT_FALSE(is_named(op_kind::sync_global_devices));
  EXPECT_FALSE(is_named(op_kind::broadcast_one_to_all));
  EXPECT_FALSE(is_named(op_kind::all_reduce));
}

}  // namespace
}  // namespace muster
