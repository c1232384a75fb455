#include <atomic>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include <dlpack/dlpack.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/limits.hpp>
#include <muster/runtime/dlpack.hpp>

namespace muster {
namespace {

using ::testing::HasSubstr;

constexpr auto most = std::numeric_limits<std::int64_t>::max();

/// A tensor of a library that counts how often it is told that nobody needs it any more.
class producer {
 public:
  producer(shape_vector shape, std::vector<std::int64_t> strides, void* data)
      : shape_(std::move(shape)), strides_(std::move(strides)) {
    tensor.dl_tensor = {data,
                        {kDLCPU, 0},
                        rank(),
                        {kDLInt, 32, 1},
                        shape_.data(),
                        strides_.empty() ? nullptr : strides_.data(),
                        0};
    tensor.manager_ctx = &released;
    tensor.deleter = [](DLManagedTensor* self) {
      ++*static_cast<std::atomic<int>*>(self->manager_ctx);
    };
  }
  producer(const producer&) = delete;
  producer& operator=(const producer&) = delete;

  [[nodiscard]] int rank() const { return static_cast<int>(shape_.size()); }

  DLManagedTensor tensor{};
  std::atomic<int> released = 0;

 private:
  shape_vector shape_;
  std::vector<std::int64_t> strides_;
};

std::vector<std::int32_t> counted(std::size_t n) {
  std::vector<std::int32_t> out(n);
  std::iota(out.begin(), out.end(), 100);
  return out;
}

/// Element by element, each at the place that its index and the strides give.
std::vector<std::int32_t> naive_copy(const std::int32_t* data, const shape_vector& shape,
                                     const std::vector<std::int64_t>& strides) {
  std::vector<std::int32_t> out;
  const auto n = element_count(shape);
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t rest = i, at = 0;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
      at += rest % shape[d] * strides[d];
    out.push_back(data[at]);
  }
  return out;
}

// ---- out and in again

array some_array(dtype type, const shape_vector& shape) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(element_count(shape)) * size_of(type));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(type == dtype::boolean ? i % 2 : 7 * i + 1);
  return {type, shape, payload::adopt(std::move(bytes))};
}

TEST(DlPack, GivesEveryDtypeAndShapeBackWithoutACopy) {
  for (std::uint32_t number = 1; const auto type = dtype_from_number(number); ++number) {
    for (const shape_vector& shape : {shape_vector{}, {5}, {2, 3}, {1, 4, 1, 2}, {0}, {3, 0, 2}}) {
      const array given = some_array(*type, shape);
      auto got = from_dlpack(to_dlpack(given)).value();
      if (*type == dtype::boolean && got.dtype == dtype::u8)
        got.dtype = *type;  // DLPack before 0.8
      EXPECT_EQ(got, given) << to_string(*type) << to_string(shape);
      EXPECT_TRUE(given.data.empty() || got.data.data() == given.data.data());
    }
  }
}

TEST(ToDlPack, DescribesADenseArrayOfTheCpu) {
  const array a = some_array(dtype::bf16, {2, 3});
  auto* tensor = to_dlpack(a);
  const auto& t = tensor->dl_tensor;
  EXPECT_EQ(t.data, a.data.data());
  EXPECT_EQ(t.device.device_type, kDLCPU);
  EXPECT_EQ(std::vector(t.shape, t.shape + t.ndim), (shape_vector{2, 3}));
  EXPECT_EQ(std::vector(t.strides, t.strides + t.ndim), (shape_vector{3, 1}));
  EXPECT_EQ(t.byte_offset, 0u);
  EXPECT_EQ(t.dtype.code, kDLBfloat);
  EXPECT_EQ(t.dtype.bits, 16);
  EXPECT_EQ(t.dtype.lanes, 1);
  tensor->deleter(tensor);
}

TEST(ToDlPack, KeepsTheBytesUntilAConsumerOnAnotherThreadIsDone) {
  auto owner = std::make_shared<const std::vector<std::int32_t>>(counted(4));
  const std::weak_ptr watched = owner;
  const auto bytes = std::as_bytes(std::span(*owner));
  auto* tensor = to_dlpack({dtype::i32, {4}, payload{std::move(owner), bytes}});
  EXPECT_FALSE(watched.expired());
  std::int32_t last = 0;
  std::thread([&] {
    last = static_cast<const std::int32_t*>(tensor->dl_tensor.data)[3];
    tensor->deleter(tensor);
  }).join();
  EXPECT_EQ(last, 103);
  EXPECT_TRUE(watched.expired());
}

TEST(ToDlPack, GivesStridesForAnEmptyArrayWhoseOtherDimensionsHaveNoProduct) {
  auto* tensor = to_dlpack({dtype::f32, {most, 0, most}, {}});
  EXPECT_EQ(tensor->dl_tensor.strides[0], 1);
  EXPECT_EQ(from_dlpack(tensor).value().shape, (shape_vector{most, 0, most}));
}

// ---- what is shared

TEST(FromDlPack, SharesDenseElementsUntilTheLastCopyOfThemIsDropped) {
  auto data = counted(7);
  producer from({2, 3}, {}, data.data());
  from.tensor.dl_tensor.byte_offset = 4;
  {
    auto got = from_dlpack(&from.tensor).value();
    EXPECT_EQ(got, array::of(std::vector<std::int32_t>(data.begin() + 1, data.end()), {2, 3}));
    EXPECT_EQ(static_cast<const void*>(got.data.data()), &data[1]);
    const auto part = got.data.part(4, 4);
    got = {};
    EXPECT_EQ(from.released, 0);
    std::thread([last = part]() mutable { last = {}; }).join();
    EXPECT_EQ(from.released, 0);
  }
  EXPECT_EQ(from.released, 1);
}

TEST(FromDlPack, SharesWhateverStrideADimensionOfOneHas) {
  auto data = counted(6);
  producer from({1, 2, 1, 3}, {-77, 3, most, 1}, data.data());
  from.tensor.dl_tensor.device.device_type = kDLCUDAHost;
  const auto got = from_dlpack(&from.tensor).value();
  EXPECT_EQ(static_cast<const void*>(got.data.data()), data.data());
  EXPECT_EQ(got, array::of(data, {1, 2, 1, 3}));
}

TEST(FromDlPack, TakesATensorThatHasNoDeleter) {
  auto data = counted(3);
  producer from({3}, {}, data.data());
  from.tensor.deleter = nullptr;
  EXPECT_EQ(from_dlpack(&from.tensor).value(), array::of(data));
  from.tensor.dl_tensor.dtype.lanes = 2;
  EXPECT_FALSE(from_dlpack(&from.tensor).ok());
}

TEST(FromDlPack, ReleasesATensorWithoutElementsAtOnce) {
  producer from({most, 0, most}, {-1, most, 0}, nullptr);
  const auto got = from_dlpack(&from.tensor).value();
  EXPECT_EQ(got, (array{dtype::i32, {most, 0, most}, {}}));
  EXPECT_EQ(from.released, 1);
}

TEST(FromDlPack, KnowsTheNumberOfBoolWhateverTheHeaderCallsIt) {
  std::vector<std::uint8_t> data{1, 0, 1};
  producer from({3}, {}, data.data());
  from.tensor.dl_tensor.dtype = {6, 8, 1};
  EXPECT_EQ(from_dlpack(&from.tensor).value(), array::of(std::vector{true, false, true}));
}

// ---- what is copied

struct strided {
  const char* name;
  shape_vector shape;
  std::vector<std::int64_t> strides;
  std::size_t first;  // of 60 elements
};

TEST(FromDlPack, CopiesOtherStridesIntoDenseOrderAndReleasesAtOnce) {
  for (const auto& view :
       {strided{"transposed", {5, 4}, {1, 5}, 0}, strided{"every other column", {4, 3}, {6, 2}, 1},
        strided{"some rows", {2, 6}, {18, 1}, 6}, strided{"backwards", {6}, {-1}, 59},
        strided{"a row for all", {4, 3}, {0, 1}, 9},
        strided{"one for all", {2, 2, 2}, {0, 0, 0}, 33},
        strided{"dimensions turned round", {3, 2, 4}, {1, 12, 3}, 0},
        strided{"a column", {1, 5, 1}, {most, 12, -most}, 2}}) {
    const auto data = counted(60);
    const std::int32_t* first = data.data() + view.first;
    producer from(view.shape, view.strides, const_cast<std::int32_t*>(first));
    const auto got = from_dlpack(&from.tensor).value();
    EXPECT_EQ(from.released, 1) << view.name;
    EXPECT_EQ(got, array::of(naive_copy(first, view.shape, view.strides), view.shape)) << view.name;
  }
}

TEST(FromDlPack, AgreesWithTheNaiveCopyForAnyStrides) {
  const auto data = counted(5000);
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    std::mt19937 chance(seed);
    shape_vector shape(chance() % 5), strides;
    for (auto& n : shape) {
      n = 1 + chance() % 4;
      strides.push_back(static_cast<std::int64_t>(chance() % 401) - 200);
    }
    const std::int32_t* middle = data.data() + 2500;
    producer from(shape, strides, const_cast<std::int32_t*>(middle));
    const auto got = from_dlpack(&from.tensor).value();
    EXPECT_EQ(got, array::of(naive_copy(middle, shape, strides), shape)) << "seed " << seed;
  }
}

TEST(FromDlPack, CopiesEveryWidthFromAnyAddress) {
  for (auto type : {dtype::u8, dtype::u16, dtype::u32, dtype::u64}) {
    const auto size = size_of(type);
    const array dense = some_array(type, {2, 3});
    const auto shifted = payload::copy_of("?" + std::string(dense.data.text()));
    producer from({3, 2}, {1, 3}, const_cast<std::byte*>(shifted.data()));
    from.tensor.dl_tensor.byte_offset = 1;
    from.tensor.dl_tensor.dtype = {kDLUInt, static_cast<std::uint8_t>(8 * size), 1};
    const auto got = from_dlpack(&from.tensor).value();
    EXPECT_EQ(got.data.part(size, size), dense.data.part(3 * size, size));
    EXPECT_EQ(got.data.part(2 * size, size), dense.data.part(size, size));
  }
}

// ---- what is refused

struct refusal {
  const char* says;
  void (*change)(DLTensor&);
};

TEST(FromDlPack, RefusesWhatItCantReadAndReleasesItOnce) {
  static std::int64_t long_shape[limits::array_rank_max + 1] = {};
  static std::int64_t negative[] = {2, -1}, huge[] = {most / 4 + 1, 1},
                      overflowing[] = {most, most};
  static std::int64_t far[] = {most / 4, 1},
                      farthest[] = {std::numeric_limits<std::int64_t>::min(), 1};
  for (const refusal& r : {
           refusal{"device type 2 is not memory of the CPU",
                   [](DLTensor& t) { t.device.device_type = kDLCUDA; }},
           {"device type 13", [](DLTensor& t) { t.device.device_type = kDLCUDAManaged; }},
           {"4 lanes; only 1", [](DLTensor& t) { t.dtype.lanes = 4; }},
           {"0 lanes", [](DLTensor& t) { t.dtype.lanes = 0; }},
           {"code 5 of 64 bits",
            [](DLTensor& t) {
              t.dtype = {kDLComplex, 64, 1};
            }},
           {"code 3 of 64 bits",
            [](DLTensor& t) {
              t.dtype = {kDLOpaqueHandle, 64, 1};
            }},
           {"code 2 of 8 bits",
            [](DLTensor& t) {
              t.dtype = {kDLFloat, 8, 1};
            }},
           {"code 0 of 4 bits",
            [](DLTensor& t) {
              t.dtype = {kDLInt, 4, 1};
            }},
           {"code 0 of 0 bits",
            [](DLTensor& t) {
              t.dtype = {kDLInt, 0, 1};
            }},
           {"code 99", [](DLTensor& t) { t.dtype.code = 99; }},
           {"rank -1", [](DLTensor& t) { t.ndim = -1; }},
           {"rank 33 must be from 0 to 32", [](DLTensor& t) { t.ndim = 33, t.shape = long_shape; }},
           {"rank 2 without a shape", [](DLTensor& t) { t.shape = nullptr; }},
           {"(2, -1) has a negative dimension", [](DLTensor& t) { t.shape = negative; }},
           {"more bytes than can be addressed", [](DLTensor& t) { t.shape = huge; }},
           {"more bytes than can be addressed", [](DLTensor& t) { t.shape = overflowing; }},
           {"(2, 3) has elements, and data is null", [](DLTensor& t) { t.data = nullptr; }},
           {"reach farther than memory", [](DLTensor& t) { t.strides = far; }},
           {"reach farther than memory", [](DLTensor& t) { t.strides = farthest; }},
           {"byte_offset 9223372036854775807", [](DLTensor& t) { t.byte_offset = most; }},
       }) {
    auto data = counted(6);
    producer from({2, 3}, {}, data.data());
    r.change(from.tensor.dl_tensor);
    const auto why = from_dlpack(&from.tensor).why();
    EXPECT_EQ(why.code, status_code::invalid_argument) << r.says;
    EXPECT_THAT(why.text, HasSubstr(r.says));
    EXPECT_EQ(from.released, 1) << r.says;
  }
}

TEST(FromDlPack, TakesArrayRankMaxDimensions) {
  auto data = counted(1);
  producer from(shape_vector(limits::array_rank_max, 1), {}, data.data());
  EXPECT_EQ(from_dlpack(&from.tensor).value().data.size(), 4u);
}

TEST(FromDlPack, SaysWhenThereIsNoMemoryForACopy) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's allocator ends the program instead";
#endif
  auto data = counted(1);
  producer from({most / 8}, {0}, data.data());
  const auto why = from_dlpack(&from.tensor).why();
  EXPECT_EQ(why.code, status_code::resource_exhausted);
  EXPECT_EQ(from.released, 1);
}

TEST(FromDlPack, RefusesNoTensor) {
  EXPECT_EQ(from_dlpack(nullptr).why().code, status_code::invalid_argument);
}

}  // namespace
}  // namespace muster
