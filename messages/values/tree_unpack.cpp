#include <algorithm>
#include <bit>

#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/text.hpp>
#include <muster/messages/values/tree.hpp>
#include <muster/messages/values/tree_format.hpp>

namespace muster {

namespace {

using tree_format::magic;
using tree_format::padding_at;
using tree_format::tag;

/// Reads until the first fault; after it every read gives nothing.
class reader {
 public:
  explicit reader(const payload& from) : from_(from) {}

  std::optional<tree> read_all() {
    const auto start = take(magic.size());
    if (!start || start->text() != magic) return fail("this is not a packed tree");
    auto t = read(0);
    if (t && offset_ != from_.size()) return fail("bytes follow the tree");
    return t;
  }
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  std::nullopt_t fail(std::string_view rule) {
    if (fault_.empty())
      fault_ = "packed tree of " + std::to_string(from_.size()) + " bytes, at byte " +
               std::to_string(offset_) + ": " + std::string(rule);
    return std::nullopt;
  }

  std::optional<payload> take(std::uint64_t n) {
    if (n > from_.size() - offset_)
      return fail("it ends before " + std::to_string(n) + " more bytes");
    payload part = from_.part(offset_, n);
    offset_ += n;
    return part;
  }
  std::optional<std::uint8_t> take_byte() {
    if (offset_ == from_.size()) return fail("it ends before one more byte");
    return static_cast<std::uint8_t>(from_.data()[offset_++]);
  }
  std::optional<std::uint64_t> take_number() {
    if (from_.size() - offset_ < 8) return fail("it ends before 8 more bytes");
    std::uint64_t v = 0;
    for (int i = 0; i < 8; ++i) v |= static_cast<std::uint64_t>(from_.data()[offset_++]) << (8 * i);
    return v;
  }
  std::optional<payload> take_run() {
    const auto length = take_number();
    return length ? take(*length) : std::nullopt;
  }

  std::optional<tree> read(std::size_t containers) {
    const auto t = take_byte();
    if (!t) return {};
    switch (static_cast<tag>(*t)) {
      case tag::dict: return below(containers) ? read_dict(containers) : std::nullopt;
      case tag::list: return below(containers) ? read_items<tree::list>(containers) : std::nullopt;
      case tag::tuple:
        return below(containers) ? read_items<tree::tuple>(containers) : std::nullopt;
      case tag::array: return read_array();
      case tag::text: return read_text();
      case tag::bytes: return read_bytes();
      case tag::integer: return read_integer();
      case tag::floating: return read_double();
      case tag::boolean: return read_boolean();
    }
    return fail("no node has the tag " + std::to_string(*t));
  }

  bool below(std::size_t containers) {
    if (containers < limits::tree_depth_max) return true;
    fail("a tree nests at most " + std::to_string(limits::tree_depth_max) + " deep");
    return false;
  }

  // Counts are not trusted: containers grow with what has really been read.
  std::optional<tree> read_dict(std::size_t containers) {
    const auto count = take_number();
    if (!count) return {};
    tree::dict d;
    for (std::uint64_t i = 0; i < *count; ++i) {
      const auto key = take_run();
      auto value = key ? read(containers + 1) : std::nullopt;
      if (!value) return {};
      d.entries.emplace_back(key->text(), *std::move(value));
    }
    if (auto key = detail::repeated_key(d))
      return fail("the key " + in_quotes(*key) + " appears twice in one dict");
    return tree(std::move(d));
  }

  template <class Container>
  std::optional<tree> read_items(std::size_t containers) {
    const auto count = take_number();
    if (!count) return {};
    Container c;
    for (std::uint64_t i = 0; i < *count; ++i) {
      auto item = read(containers + 1);
      if (!item) return {};
      c.items.push_back(*std::move(item));
    }
    return tree(std::move(c));
  }

  std::optional<shape_vector> read_shape() {
    const auto dimensions = take_number();
    if (!dimensions) return {};
    shape_vector shape;
    for (std::uint64_t i = 0; i < *dimensions; ++i) {
      const auto d = take_number();
      if (!d) return {};
      shape.push_back(static_cast<std::int64_t>(*d));
    }
    return shape;
  }

  std::optional<tree> read_array() {
    const auto number = take_byte();
    if (!number) return {};
    const auto type = dtype_from_number(*number);
    if (!type) return fail("no dtype has the number " + std::to_string(*number));
    auto shape = read_shape();
    if (!shape) return {};
    const auto count = checked_element_count(*shape);
    if (!count) return fail("no array has the shape " + to_string(*shape));
    const auto zeros = take(padding_at(offset_));
    if (!zeros) return {};
    const auto gap = zeros->bytes();
    if (std::any_of(gap.begin(), gap.end(), [](std::byte b) { return b != std::byte{0}; })) {
      return fail("the gap before an array's elements is not zero");
    }
    const auto elements = static_cast<std::uint64_t>(*count);
    if (elements > from_.size() / size_of(*type))
      return fail("it ends before an array of shape " + to_string(*shape));
    auto data = take(elements * size_of(*type));
    if (!data) return {};
    array a{*type, *std::move(shape), *std::move(data)};
    if (!detail::are_booleans(a))
      return fail("an array of bool has a byte that is neither 0 nor 1");
    return tree(std::move(a));
  }

  std::optional<tree> read_text() {
    const auto run = take_run();
    return run ? std::optional<tree>(std::string(run->text())) : std::nullopt;
  }
  std::optional<tree> read_bytes() {
    auto run = take_run();
    return run ? std::optional<tree>(bytes_leaf{*std::move(run)}) : std::nullopt;
  }
  std::optional<tree> read_integer() {
    const auto v = take_number();
    return v ? std::optional<tree>(static_cast<std::int64_t>(*v)) : std::nullopt;
  }
  std::optional<tree> read_double() {
    const auto v = take_number();
    return v ? std::optional<tree>(std::bit_cast<double>(*v)) : std::nullopt;
  }
  std::optional<tree> read_boolean() {
    const auto v = take_byte();
    if (!v) return {};
    if (*v > 1) return fail("a boolean is 0 or 1, not " + std::to_string(*v));
    return tree(*v == 1);
  }

  const payload& from_;
  std::size_t offset_ = 0;
  std::string fault_;
};

}  // namespace

result<tree> unpack(const payload& bytes) {
  reader in(bytes);
  auto t = in.read_all();
  if (!t) return error(status_code::invalid_argument, in.fault());
  return *std::move(t);
}

}  // namespace muster
