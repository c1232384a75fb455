#include <muster/tests/rows/rows.hpp>

#include <utility>

namespace muster::rows {

void hold(bool holds, const std::string& what) {
  if (!holds) throw status_error(error(status_code::internal, what));
}

namespace {

std::string hexadecimal(const payload& bytes) {
  std::string out;
  for (const auto b : bytes.bytes().first(std::min<std::size_t>(bytes.size(), 64))) {
    constexpr char digits[] = "0123456789abcdef";
    out += digits[std::to_integer<unsigned>(b) >> 4];
    out += digits[std::to_integer<unsigned>(b) & 15];
  }
  return out;
}

std::string looks(const array& a) {
  return std::string(to_string(a.dtype)) + " " + to_string(a.shape) + " " + hexadecimal(a.data);
}

}  // namespace

void same(const tree& got, const tree& wanted, std::string_view what) {
  if (got == wanted) return;
  const auto *a = got.leaf<array>(), *b = wanted.leaf<array>();
  hold(false, std::string(what) +
                  (a && b ? ": " + looks(*a) + " in place of " + looks(*b) : ": another tree"));
}

void same(const array& got, const array& wanted, std::string_view what) {
  same(tree(got), tree(wanted), what);
}

void ends(const status& outcome, status_code code) {
  hold(outcome.code == code,
       "ended with " + to_string(outcome) + " in place of " + std::string(to_string(code)));
}

void says(const status& outcome, std::string_view word) {
  hold(to_string(outcome).find(word) != std::string::npos,
       "the text has no '" + std::string(word) + "': " + to_string(outcome));
}

array shaped(array a, shape_vector shape) {
  a.shape = std::move(shape);
  hold(is_dense(a), "a row that asks for another number of elements");
  return a;
}

std::span<const row> all() {
  static const std::vector<row> rows = [] {
    std::vector<row> out;
    for (const auto part : {of_trees(), of_arrays(), of_names(), of_rounds()})
      out.insert(out.end(), part.begin(), part.end());
    return out;
  }();
  return rows;
}

}  // namespace muster::rows
