#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <muster/messages/values/ensure.hpp>
#include <muster/messages/values/tree.hpp>
#include <muster/tests/fuzz/targets.hpp>

namespace muster::fuzz {

bool read_tree(const payload& input) {
  const auto read = unpack(input);
  if (!read.ok()) {
    ensure(read.why().code == status_code::invalid_argument && !read.why().text.empty(),
           "bytes that are refused are told why");
    return false;
  }
  ensure(check_packable(read.value()).ok(), "a tree that was read can be packed");
  ensure(pack(read.value()) == input, "a tree that is read is packed as the same bytes");
  return true;
}

std::vector<payload> trees() {
  tree layer;
  layer.set("weight", array{dtype::f32, {2, 3}, payload::adopt(std::vector<float>(6, -0.0F))})
      .set("bias", array{dtype::u8, {}, payload::adopt(std::vector<std::uint8_t>{255})})
      .set("none", array{dtype::f64, {0, 4}, {}});
  tree all;
  all.set("layers", tree(tree::list{{layer, tree(tree::tuple{{layer, tree()}})}}))
      .set("step", std::int64_t{1} << 40)
      .set("rate", std::numeric_limits<double>::quiet_NaN())
      .set("name", "a/b\\c")
      .set("blob", bytes_leaf{payload::copy_of(std::string_view("\0\xff", 2))})
      .set("on", true);
  std::vector<payload> out;
  for (const tree& t : {tree(), tree(1), layer, all}) out.push_back(pack(t));
  return out;
}

}  // namespace muster::fuzz
