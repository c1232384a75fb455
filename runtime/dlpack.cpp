#include <muster/runtime/dlpack.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include <dlpack/dlpack.h>

#include <muster/messages/values/ensure.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster {

namespace {

// The number is DLPack's own, and producers send it whatever header this was built with.
constexpr std::uint8_t bool_code = 6;
#if defined(DLPACK_MAJOR_VERSION) || DLPACK_VERSION >= 80
static_assert(kDLBool == bool_code);
constexpr std::uint8_t exported_bool_code = bool_code;
#else
constexpr std::uint8_t exported_bool_code = kDLUInt;
#endif

struct type_pair {
  dtype ours;
  std::uint8_t code, bits;
};
constexpr std::array<type_pair, 13> type_pairs{{
    {dtype::f32, kDLFloat, 32},
    {dtype::f64, kDLFloat, 64},
    {dtype::f16, kDLFloat, 16},
    {dtype::bf16, kDLBfloat, 16},
    {dtype::i8, kDLInt, 8},
    {dtype::i16, kDLInt, 16},
    {dtype::i32, kDLInt, 32},
    {dtype::i64, kDLInt, 64},
    {dtype::u8, kDLUInt, 8},
    {dtype::u16, kDLUInt, 16},
    {dtype::u32, kDLUInt, 32},
    {dtype::u64, kDLUInt, 64},
    {dtype::boolean, bool_code, 8},
}};

status broken(const std::string& rule) { return invalid_argument("from_dlpack: " + rule); }

std::string text(std::int64_t n) { return std::to_string(n); }

/// The elements of a tensor that was found to be readable.
struct elements_view {
  dtype type = dtype::f32;
  shape_vector shape;
  std::vector<std::int64_t> strides;  // in elements; 0 for dimensions of 1
  const std::byte* first = nullptr;   // the element of index 0, 0, ...
  std::size_t bytes = 0;              // in dense order

  [[nodiscard]] std::size_t rank() const { return shape.size(); }
};

result<dtype> type_of(const DLDataType& type) {
  if (type.lanes != 1)
    return broken("elements have " + text(type.lanes) + " lanes; only 1 is allowed");
  for (const auto& pair : type_pairs)
    if (pair.code == type.code && pair.bits == type.bits) return pair.ours;
  return broken("dtype code " + text(type.code) + " of " + text(type.bits) +
                " bits is none of Muster's");
}

result<shape_vector> shape_of(const DLTensor& t) {
  constexpr auto most = static_cast<std::int64_t>(limits::array_rank_max);
  if (t.ndim < 0 || t.ndim > most)
    return broken("rank " + text(t.ndim) + " must be from 0 to " + text(most));
  if (t.ndim == 0) return shape_vector{};
  if (t.shape == nullptr) return broken("rank " + text(t.ndim) + " without a shape");
  shape_vector shape(t.shape, t.shape + t.ndim);
  for (auto n : shape)
    if (n < 0) return broken("shape " + to_string(shape) + " has a negative dimension");
  return shape;
}

std::vector<std::int64_t> dense_strides(const shape_vector& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  if (element_count(shape) == 0) return strides;  // and a product may not fit
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

/// Bytes from the first element to behind the farthest on either side, at most; nothing where they can't be counted.
std::optional<std::int64_t> reach_of(const elements_view& v) {
  const auto size = static_cast<std::int64_t>(size_of(v.type));
  std::int64_t reach = size;
  for (std::size_t d = 0; d < v.rank(); ++d) {
    std::int64_t step = 0, along = 0;
    if (v.strides[d] == std::numeric_limits<std::int64_t>::min() ||
        __builtin_mul_overflow(std::abs(v.strides[d]), size, &step) ||
        __builtin_mul_overflow(step, v.shape[d] - 1, &along) ||
        __builtin_add_overflow(reach, along, &reach))
      return std::nullopt;
  }
  return reach;
}

status check_place(const DLTensor& t, elements_view& v) {
  if (t.data == nullptr)
    return broken("shape " + to_string(v.shape) + " has elements, and data is null");
  constexpr std::uint64_t most = std::numeric_limits<std::ptrdiff_t>::max();
  const auto reach = reach_of(v);
  if (!reach)
    return broken("strides " + to_string(v.strides) + " of shape " + to_string(v.shape) +
                  " reach farther than memory");
  if (t.byte_offset > most - static_cast<std::uint64_t>(*reach))
    return broken("byte_offset " + std::to_string(t.byte_offset) + " reaches farther than memory");
  v.first = static_cast<const std::byte*>(t.data) + t.byte_offset;
  return {};
}

result<elements_view> view_of(const DLTensor& t) {
  std::int32_t device = 0;  // a newer producer's may be no value of this header's enumeration
  std::memcpy(&device, &t.device.device_type, sizeof device);
  if (device != kDLCPU && device != kDLCUDAHost)
    return broken("device type " + text(device) +
                  " is not memory of the CPU (kDLCPU or kDLCUDAHost)");
  const auto type = type_of(t.dtype);
  if (!type) return type.why();
  auto shape = shape_of(t);
  if (!shape) return shape.why();
  const auto count = checked_element_count(*shape);
  const auto size = static_cast<std::int64_t>(size_of(*type));
  if (!count || *count > std::numeric_limits<std::ptrdiff_t>::max() / size)
    return broken("shape " + to_string(*shape) + " has more bytes than can be addressed");
  elements_view v{*type, std::move(*shape), {}, nullptr, static_cast<std::size_t>(*count * size)};
  if (*count == 0) return v;
  v.strides = t.strides == nullptr ? dense_strides(v.shape)
                                   : std::vector<std::int64_t>(t.strides, t.strides + t.ndim);
  for (std::size_t d = 0; d < v.rank(); ++d)
    if (v.shape[d] == 1) v.strides[d] = 0;
  if (auto s = check_place(t, v); !s.ok()) return s;
  return v;
}

/// The first dimension from which on all are dense: 0 where the whole is, the rank where none is.
std::size_t dense_from(const elements_view& v) {
  const auto dense = dense_strides(v.shape);
  std::size_t d = v.rank();
  while (d > 0 && (v.shape[d - 1] == 1 || v.strides[d - 1] == dense[d - 1])) --d;
  return d;
}

/// Copies the elements of a view into dense order.
class gathering {
 public:
  gathering(const elements_view& from, std::size_t first_dense, std::byte* to)
      : from_(from), first_dense_(first_dense), to_(to) {
    for (std::size_t d = first_dense; d < from.rank(); ++d)
      run_bytes_ *= static_cast<std::size_t>(from.shape[d]);
  }

  /// Recurses as deep as the rank.
  void run(const std::byte* at, std::size_t dimension = 0) {
    if (dimension == first_dense_) {
      std::memcpy(to_, at, run_bytes_);
      to_ += run_bytes_;
      return;
    }
    const auto step = from_.strides[dimension] * static_cast<std::int64_t>(size_of(from_.type));
    for (std::int64_t i = 0; i < from_.shape[dimension]; ++i) run(at + i * step, dimension + 1);
  }

 private:
  const elements_view& from_;
  const std::size_t first_dense_;
  std::byte* to_;
  std::size_t run_bytes_ = size_of(from_.type);
};

result<payload> gathered(const elements_view& v, std::size_t first_dense) {
  auto to = std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[v.bytes]);
  if (!to)
    return error(status_code::resource_exhausted,
                 "from_dlpack: no memory for " + std::to_string(v.bytes) + " bytes");
  gathering(v, first_dense, to.get()).run(v.first);
  const bytes_view bytes{to.get(), v.bytes};
  return payload{std::shared_ptr<std::byte[]>(std::move(to)), bytes};
}

void release(DLManagedTensor* tensor) {
  if (tensor->deleter != nullptr) tensor->deleter(tensor);
}

/// What the consumer's tensor points to, and what it keeps alive.
struct exported {
  explicit exported(const array& a)
      : shape(a.shape), strides(dense_strides(a.shape)), data(a.data) {}
  shape_vector shape;
  std::vector<std::int64_t> strides;
  payload data;
  DLManagedTensor tensor{};
};

DLDataType exported_type(dtype type) {
  if (type == dtype::boolean) return {exported_bool_code, 8, 1};
  const auto* pair =
      std::ranges::find_if(type_pairs, [&](const type_pair& p) { return p.ours == type; });
  ensure(pair != type_pairs.end(), "every dtype has its pair");
  return {pair->code, pair->bits, 1};
}

}  // namespace

result<array> from_dlpack(DLManagedTensor* tensor) {
  if (tensor == nullptr) return broken("there is no tensor");
  const std::shared_ptr<DLManagedTensor> owner(tensor, release);
  auto view = view_of(tensor->dl_tensor);
  if (!view) return view.why();
  if (view->bytes == 0) return array{view->type, std::move(view->shape), {}};
  const auto first_dense = dense_from(*view);
  if (first_dense == 0)
    return array{view->type, std::move(view->shape), payload{owner, {view->first, view->bytes}}};
  auto copy = gathered(*view, first_dense);
  if (!copy) return copy.why();
  return array{view->type, std::move(view->shape), std::move(*copy)};
}

DLManagedTensor* to_dlpack(const array& a) {
  detail::check_array(a, a.dtype);
  auto owner = std::make_unique<exported>(a);
  auto& t = owner->tensor.dl_tensor;
  // The structure has no const; the header says that nobody may write.
  t.data = const_cast<std::byte*>(owner->data.data());
  t.device = {kDLCPU, 0};
  t.ndim = static_cast<int>(owner->shape.size());
  t.dtype = exported_type(a.dtype);
  t.shape = owner->shape.data();
  t.strides = owner->strides.data();
  owner->tensor.deleter = [](DLManagedTensor* self) {
    delete static_cast<exported*>(self->manager_ctx);
  };
  auto* tensor = &owner->tensor;
  tensor->manager_ctx = owner.release();
  return tensor;
}

}  // namespace muster
