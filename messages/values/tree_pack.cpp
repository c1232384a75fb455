#include <bit>
#include <new>

#include <muster/messages/values/ensure.hpp>
#include <muster/messages/values/tree.hpp>
#include <muster/messages/values/tree_format.hpp>

namespace muster {

namespace {

using tree_format::array_alignment;
using tree_format::magic;
using tree_format::padding_at;
using tree_format::tag;

/// Writes, or only counts when it has no place to write to.
class writer {
 public:
  explicit writer(std::byte* to) : to_(to) {}

  void put(bytes_view bytes) {
    if (to_ != nullptr && !bytes.empty()) std::memcpy(to_ + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  void put(std::string_view text) { put(std::as_bytes(std::span(text))); }
  void put_byte(std::uint8_t v) { put(bytes_view(reinterpret_cast<const std::byte*>(&v), 1)); }
  void put_tag(tag t) { put_byte(static_cast<std::uint8_t>(t)); }
  void put_number(std::uint64_t v) {
    for (int i = 0; i < 8; ++i) put_byte(static_cast<std::uint8_t>(v >> (8 * i)));
  }
  void pad() {
    for (std::size_t n = padding_at(size_); n > 0; --n) put_byte(0);
  }
  [[nodiscard]] std::size_t size() const { return size_; }

  void put(const tree& t) {
    std::visit([this](const auto& n) { put_node(n); }, t.get());
  }

 private:
  void put_node(const tree::dict& d) {
    put_tag(tag::dict);
    put_number(d.entries.size());
    for (const auto& [key, value] : d.entries) {
      put_number(key.size());
      put(std::string_view(key));
      put(value);
    }
  }
  void put_node(const tree::list& l) { put_items(tag::list, l.items); }
  void put_node(const tree::tuple& t) { put_items(tag::tuple, t.items); }
  void put_items(tag t, const std::vector<tree>& items) {
    put_tag(t);
    put_number(items.size());
    for (const auto& item : items) put(item);
  }
  void put_node(const tree_leaf& leaf) {
    std::visit([this](const auto& v) { put_leaf(v); }, leaf);
  }
  void put_leaf(const array& a) {
    put_tag(tag::array);
    put_byte(static_cast<std::uint8_t>(a.dtype));
    put_number(a.shape.size());
    for (auto d : a.shape) put_number(static_cast<std::uint64_t>(d));
    pad();
    put(a.data.bytes());
  }
  void put_leaf(const std::string& text) {
    put_tag(tag::text);
    put_number(text.size());
    put(std::string_view(text));
  }
  void put_leaf(const bytes_leaf& b) {
    put_tag(tag::bytes);
    put_number(b.data.size());
    put(b.data.bytes());
  }
  void put_leaf(std::int64_t v) {
    put_tag(tag::integer);
    put_number(static_cast<std::uint64_t>(v));
  }
  void put_leaf(double v) {
    put_tag(tag::floating);
    put_number(std::bit_cast<std::uint64_t>(v));
  }
  void put_leaf(bool v) {
    put_tag(tag::boolean);
    put_byte(v ? 1 : 0);
  }

  std::byte* to_;
  std::size_t size_ = 0;
};

/// Aligned for every element type, and for vector units: then so are the arrays inside.
std::shared_ptr<std::byte> aligned_bytes(std::size_t n) {
  constexpr std::align_val_t alignment{array_alignment};
  auto* bytes = static_cast<std::byte*>(::operator new(n, alignment));
  return {bytes, [](std::byte* p) { ::operator delete (p, std::align_val_t{array_alignment}); }};
}

}  // namespace

payload pack(const tree& t) {
  if (auto fit = check_packable(t); !fit.ok()) ensure(false, to_string(fit));
  writer measure(nullptr);
  measure.put(magic);
  measure.put(t);
  auto bytes = aligned_bytes(measure.size());
  writer out(bytes.get());
  out.put(magic);
  out.put(t);
  const bytes_view view(bytes.get(), out.size());
  return {std::move(bytes), view};
}

}  // namespace muster
