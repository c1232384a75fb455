// Immutable bytes with shared ownership. The owner is `payload`, its view is `std::span<const std::byte>`.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <muster/messages/values/ensure.hpp>

namespace muster {

using bytes_view = std::span<const std::byte>;

/// Copying one shares the bytes; nobody may change them. Any thread may hold, copy and drop one: the
/// bytes are freed by whoever drops the last copy.
class payload {
 public:
  payload() = default;

  /// Bytes that live as long as `owner`.
  payload(std::shared_ptr<const void> owner, bytes_view bytes)
      : owner_(std::move(owner)), bytes_(bytes) {}

  static payload copy_of(bytes_view bytes) {
    return adopt(std::vector<std::byte>(bytes.begin(), bytes.end()));
  }
  static payload copy_of(std::string_view text) { return copy_of(std::as_bytes(std::span(text))); }

  /// Takes the vector over without copying its bytes. T must be trivially copyable.
  template <class T>
  static payload adopt(std::vector<T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    bytes_view bytes = std::as_bytes(std::span(*owner));
    return {std::move(owner), bytes};
  }

  [[nodiscard]] bytes_view bytes() const { return bytes_; }
  [[nodiscard]] const std::byte* data() const { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

  /// A part that shares ownership; offset + count must not exceed size() (asserted).
  [[nodiscard]] payload part(std::size_t offset, std::size_t count) const {
    ensure(offset <= size() && count <= size() - offset, "a part of a payload lies inside it");
    return {owner_, bytes_.subspan(offset, count)};
  }

  /// Equal bytes; who owns them doesn't matter.
  friend bool operator==(const payload& a, const payload& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
  }

 private:
  std::shared_ptr<const void> owner_;
  bytes_view bytes_;
};

}  // namespace muster
