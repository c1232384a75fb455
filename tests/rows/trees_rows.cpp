// multihost 1.2, 1.4, 1.5 and the tests of multihost 1.9 that move trees.
#include <bit>
#include <cmath>
#include <limits>

#include <muster/tests/rows/rows.hpp>

namespace muster::rows {
namespace {

constexpr allgather_options stacked{.tiled = false, .soft = std::chrono::seconds(5), .hard = soon};
constexpr allgather_options tiled{.tiled = true, .soft = std::chrono::seconds(5), .hard = soon};

template <class T>
array ones(shape_vector shape) {
  return array::of(std::vector<T>(static_cast<std::size_t>(element_count(shape)), T{1}), shape);
}

shape_vector times(std::int64_t n, shape_vector shape) {
  shape.front() *= n;
  return shape;
}
shape_vector above(std::int64_t n, shape_vector shape) {
  shape.insert(shape.begin(), n);
  return shape;
}

// ---- process_allgather

task<void> allgather_stacked_ones(host& h) {
  for (const shape_vector& shape : {shape_vector{2, 2}, shape_vector{8, 4, 2}}) {
    const tree given = ones<float>(shape);
    const tree got = co_await h.process_allgather(given, stacked);
    same(got, ones<float>(above(hosts(h), shape)), "ones");
  }
}

task<void> allgather_stacked_values(host& h) {
  const tree given = arange<std::int32_t>(4, static_cast<std::int32_t>(4 * self(h)));
  const tree got = co_await h.process_allgather(given, stacked);
  same(got, shaped(arange<std::int32_t>(4 * hosts(h)), {hosts(h), 4}), "rows in rank order");
}

task<void> allgather_of_scalars(host& h) {
  for (const auto& how : {stacked, tiled}) {
    const tree number(4 * self(h));
    same(co_await h.process_allgather(number, how), arange<std::int64_t>(hosts(h), 0, 4),
         "a number");
    const tree rank0 = shaped(arange<std::int64_t>(1, 4 * self(h)), {});
    same(co_await h.process_allgather(rank0, how), arange<std::int64_t>(hosts(h), 0, 4),
         "an array ()");
    const tree truth(self(h) % 2 == 1);
    const tree truths = co_await h.process_allgather(truth, how);
    const auto* all = truths.leaf<array>();
    hold(all && all->dtype == dtype::boolean && all->shape == shape_vector{hosts(h)}, "bools");
    for (std::int64_t r = 0; r < hosts(h); ++r)
      hold(all->copy_elements<bool>()[static_cast<std::size_t>(r)] == (r % 2 == 1), "a bool");
  }
}

task<void> allgather_tiled_ones(host& h) {
  for (const shape_vector& shape : {shape_vector{2, 2}, shape_vector{8, 4, 2}}) {
    const tree given = ones<float>(shape);
    same(co_await h.process_allgather(given, tiled), ones<float>(times(hosts(h), shape)), "ones");
  }
}

task<void> allgather_tiled_values(host& h) {
  const tree given = arange<std::int32_t>(4, static_cast<std::int32_t>(4 * self(h)));
  same(co_await h.process_allgather(given, tiled), arange<std::int32_t>(4 * hosts(h)),
       "one after the other");
}

task<void> allgather_keeps_64_bits(host& h) {
  const tree given = arange<std::int64_t>(2, (std::int64_t{1} << 40) + self(h), 0);
  const tree got = co_await h.process_allgather(given, stacked);
  const auto values = got.leaf<array>()->copy_elements<std::int64_t>();
  for (std::int64_t r = 0; r < hosts(h); ++r)
    hold(values[static_cast<std::size_t>(2 * r)] == (std::int64_t{1} << 40) + r,
         "an i64 above 2^32");
}

task<void> allgather_of_a_whole_tree(host& h) {
  tree given;
  given
      .set("w",
           tree(tree::list{{arange<float>(2, static_cast<float>(self(h))), tree(tree::tuple{})}}))
      .set("name", "host " + std::to_string(self(h)))
      .set("raw", bytes_leaf{payload::copy_of(std::string(static_cast<std::size_t>(self(h)), 'x'))})
      .set("none", shaped(arange<double>(0), {0, 3}));
  const tree got = co_await h.process_allgather(given, stacked);
  tree::list names, raws;
  for (std::int64_t r = 0; r < hosts(h); ++r) {
    names.items.emplace_back("host " + std::to_string(r));
    raws.items.emplace_back(
        bytes_leaf{payload::copy_of(std::string(static_cast<std::size_t>(r), 'x'))});
  }
  same(*got.find("name"), tree(names), "strings become a list, of any lengths");
  same(*got.find("raw"), tree(raws), "bytes become a list");
  same(*got.find("none"), shaped(arange<double>(0), {hosts(h), 0, 3}),
       "no elements keep their shape");
  const auto& list = std::get<tree::list>(got.find("w")->get());
  hold(list.items.at(0).leaf<array>()->shape == shape_vector{hosts(h), 2}, "an array in a list");
  hold(list.items.at(1) == tree(tree::tuple{}), "an empty tuple stays one");
  tree empty;
  same(co_await h.process_allgather(empty, tiled), tree{}, "an empty tree");
}

task<void> allgather_of_thousands_of_leaves(host& h) {
  tree given;
  for (int i = 0; i < 3'000; ++i) given.set("leaf " + std::to_string(i), self(h) + i);
  const tree got = co_await h.process_allgather(given, stacked);
  hold(leaf_paths(got).size() == 3'000, "as many leaves");
  same(*got.find("leaf 2999"), arange<std::int64_t>(hosts(h), 2'999), "the last leaf");
}

task<void> allgather_of_unlike_trees(host& h) {
  if (hosts(h) < 2) co_return;
  const bool odd = h.rank() == last_rank(h);
  const auto at_last = "at rank " + to_string(last_rank(h));
  for (int what = 0; what < 4; ++what) {
    tree given;
    given.set("a", 1).set("b", ones<float>({2, 3}));
    if (odd && what == 0) given.set("b", ones<float>({2, 4}));
    if (odd && what == 1) given.set("b", ones<double>({2, 3}));
    if (odd && what == 2) given.set("c", 1);
    if (odd && what == 3) given.set("a", "text");
    const auto outcome = co_await h.process_allgather(given, tiled).as_result();
    const auto words = std::array{"'b' is f32 (2, 4)", "'b' is f64 (2, 3)",
                                  "'' is a dict of 'a', 'b', 'c'", "'a' is string"};
    // Which of the two is named first is who was heard first.
    const std::string only(words[static_cast<std::size_t>(what)]);
    ends(outcome.why(), status_code::mismatch, only.substr(only.find(" is ") + 4), at_last,
         "operation");
  }
}

// ---- broadcast_one_to_all

tree awkward(std::int64_t who) {
  tree t;
  t.set("u8", arange<std::uint8_t>(4, static_cast<std::uint8_t>(4 * who)))
      .set("zero", array::of(std::vector<float>{-0.0F, 0.0F}))
      .set("nan", array::of(std::vector<double>{std::bit_cast<double>(0x7ff0'0000'0000'1234u)}))
      .set("bool", array::of(std::vector<bool>{true, false}))
      .set("i64", std::int64_t{-5} << 40)
      .set("f64", 0.1)
      .set("text", "from " + std::to_string(who))
      .set("raw", bytes_leaf{payload::copy_of(std::string_view("\0\xff", 2))})
      .set("0-d", shaped(arange<std::int32_t>(1, static_cast<std::int32_t>(4 * who)), {}));
  return t;
}

task<void> broadcast_from_every_rank(host& h) {
  for (std::uint32_t source = 0; source < h.world_size(); ++source) {
    const tree own = awkward(self(h));
    const tree got =
        co_await h.broadcast_one_to_all(own, {rank{source}, std::chrono::seconds(5), soon});
    same(got, awkward(source), "bit for bit");
  }
}

task<void> broadcast_of_a_pair_and_a_scalar(host& h) {
  const auto own = arange<std::int32_t>(4, static_cast<std::int32_t>(4 * self(h)));
  const tree pair(tree::tuple{{own, own}});
  const auto zero = arange<std::int32_t>(4);
  const tree wanted(tree::tuple{{zero, zero}});
  same(co_await h.broadcast_one_to_all(pair), wanted, "a pair");
  const tree number(4 * self(h));
  same(co_await h.broadcast_one_to_all(number), tree(0), "a scalar");
}

task<void> broadcast_to_hosts_without_a_tree(host& h) {
  const tree given = awkward(0);
  if (self(h) == 0)
    same(co_await h.broadcast_one_to_all(given), given, "at the source");
  else
    same(co_await h.broadcast_one_to_all(), given, "elsewhere");
}

task<void> broadcast_by_is_source(host& h) {
  const tree own = awkward(self(h));
  broadcast_options o;
  o.hard = soon;
  o.is_source = h.rank() == last_rank(h);
  same(co_await h.broadcast_one_to_all(own, o), awkward(hosts(h) - 1), "from who says so");
}

task<void> broadcast_without_a_source(host& h) {
  const tree own = awkward(0);
  broadcast_options o;
  o.hard = soon;
  o.is_source = false;
  const auto outcome = co_await h.broadcast_one_to_all(own, o).as_result();
  ends(outcome.why(), status_code::mismatch, "no host is the source");
}

task<void> broadcast_from_two_sources(host& h) {
  if (hosts(h) < 2) co_return;
  const tree own = awkward(0);
  broadcast_options o;
  o.hard = soon;
  o.is_source = self(h) == 0 || h.rank() == last_rank(h);
  const auto outcome = co_await h.broadcast_one_to_all(own, o).as_result();
  ends(outcome.why(), status_code::mismatch, "from rank 0", "from rank " + to_string(last_rank(h)));
}

task<void> broadcast_of_unlike_trees(host& h) {
  if (hosts(h) < 2) co_return;
  tree own;
  own.set("w", ones<float>({h.rank() == last_rank(h) ? 3 : 2}));
  const auto outcome = co_await h.broadcast_one_to_all(own).as_result();
  ends(outcome.why(), status_code::mismatch, "'w'", "f32 (2,)", "f32 (3,)");
}

// ---- assert_equal

task<void> equal_trees_are_equal(host& h) {
  const tree params = awkward(7);
  co_await h.assert_equal(params, "params", in_time);
  const tree nan(std::bit_cast<double>(0x7ff8'0000'0000'beefu));
  co_await h.assert_equal(nan, "the same NaN", in_time);
  const tree tenth(0.1), large(std::int64_t{1} << 40), nothing;
  co_await h.assert_equal(tenth, "a f64 is not cut", in_time);
  co_await h.assert_equal(large, "an i64 is not cut", in_time);
  co_await h.assert_equal(nothing, "an empty tree", in_time);
  const tree replica = shaped(arange<std::int32_t>(16), {8, 2});
  co_await h.assert_equal(replica, "an array that every host has", in_time);
}

// Twice as large as what may travel with a call.
task<void> large_arrays_are_compared_where_they_are(host& h) {
  const bool odd = h.rank() == last_rank(h);
  const auto n = static_cast<std::int64_t>(2 * limits::inline_bytes_max / sizeof(double));
  const tree large = arange<double>(n), other = arange<double>(n, odd ? 1.0 : 0.0);
  co_await h.assert_equal(large, "2 MiB", in_time);
  const auto outcome = co_await h.assert_equal(other, "2 MiB", in_time).as_result();
  if (hosts(h) < 2)
    hold(outcome.ok(), to_string(outcome.why()));
  else
    ends(outcome.why(), status_code::mismatch, "at rank " + to_string(last_rank(h)));
}

task<void> unequal_leaves_are_named(host& h) {
  if (hosts(h) < 2) co_return;
  tree params;
  params.set("layers", tree(tree::list{{arange<float>(1'000), arange<float>(1'000)}}))
      .set("step", 5);
  if (h.rank() == last_rank(h))
    std::get<tree::list>(const_cast<tree::node&>(params.find("layers")->get())).items[1] =
        arange<float>(1'000, 1.0F);
  const auto outcome = co_await h.assert_equal(params, "weights", in_time).as_result();
  ends(outcome.why(), status_code::mismatch, "assert_equal 'weights'", "'layers/1' is f32 (1000,)",
       "at rank " + to_string(last_rank(h)));
  hold(outcome.why().unheard.empty(), "all are heard before it is decided");
  hold(to_string(outcome.why()).find("layers/0") == std::string::npos,
       "a leaf that is equal is not named");
}

task<void> unequal_bits_are_unequal(host& h) {
  if (hosts(h) < 2) co_return;
  const bool odd = h.rank() == last_rank(h);
  const std::vector<std::pair<double, double>> pairs{
      {0.0, -0.0},
      {std::numeric_limits<double>::quiet_NaN(), std::bit_cast<double>(0x7ff8'0000'0000'0001u)},
      {1.0, std::nextafter(1.0, 2.0)}};
  for (const auto& [most, last] : pairs) {
    const tree scalar(odd ? last : most);
    ends((co_await h.assert_equal(scalar, "bits", in_time).as_result()).why(),
         status_code::mismatch, "f64 scalar");
    const tree in_array = array::of(std::vector<double>{odd ? last : most});
    ends((co_await h.assert_equal(in_array, "bits", in_time).as_result()).why(),
         status_code::mismatch, "f64 (1,)");
  }
  const tree text(odd ? "ab" : "abc");
  ends((co_await h.assert_equal(text, "text", in_time).as_result()).why(), status_code::mismatch,
       "string 'ab'", "string 'abc'");
}

// ---- gather

task<void> gather_to_every_rank(host& h) {
  for (std::uint32_t target = 0; target < h.world_size(); ++target) {
    const tree own = awkward(self(h));
    const auto got = co_await h.gather(own, {rank{target}, std::chrono::seconds(5), soon});
    hold(got.size() == (h.rank() == rank{target} ? h.world_size() : 0), "only the target has them");
    for (std::size_t r = 0; r < got.size(); ++r)
      same(got[r], awkward(static_cast<std::int64_t>(r)), "in rank order");
  }
}

task<void> gather_to_nobody(host& h) {
  const tree own(1);
  const auto outcome = co_await h.gather(own, {rank{h.world_size()}, soon, soon}).as_result();
  ends(outcome.why(), status_code::invalid_argument, "target " + std::to_string(h.world_size()),
       "ranks");
}

// ---- what is too large to travel with its message

std::string large_text(std::int64_t who) {
  return std::string(200'000 + static_cast<std::size_t>(1'000 * who),
                     static_cast<char>('a' + who % 26));
}

task<void> large_gathers(host& h) {
  // The odd ones give little: whoever holds back, all data moves the same way.
  tree own;
  own.set("text", self(h) % 2 == 0 ? large_text(self(h)) : "small").set("rank", self(h));
  const auto check = [&](const tree& got, std::int64_t r) {
    hold(*got.find("text") == tree(r % 2 == 0 ? large_text(r) : "small"),
         "a text of rank " + std::to_string(r));
    hold(*got.find("rank") == tree(r), "a rank");
  };
  const tree all = co_await h.process_allgather(own, stacked);
  const auto& texts = std::get<tree::list>(all.find("text")->get()).items;
  for (std::int64_t r = 0; r < hosts(h); ++r)
    hold(texts.at(static_cast<std::size_t>(r)) == tree(r % 2 == 0 ? large_text(r) : "small"),
         "a text");
  for (std::uint32_t target = 0; target < h.world_size(); target += 2) {
    const auto got = co_await h.gather(own, {rank{target}, std::chrono::seconds(5), soon});
    hold(got.size() == (h.rank() == rank{target} ? h.world_size() : 0), "only the target has them");
    for (std::size_t r = 0; r < got.size(); ++r) check(got[r], static_cast<std::int64_t>(r));
  }
}

task<void> large_broadcasts(host& h) {
  for (std::uint32_t source = 0; source < h.world_size(); ++source) {
    const tree own(large_text(self(h)));
    const tree got =
        co_await h.broadcast_one_to_all(own, {rank{source}, std::chrono::seconds(5), soon});
    hold(got == tree(large_text(source)), "the source's text");
  }
}

task<void> large_broadcast_in_halves(host& h) {
  std::vector<rank> half;
  for (std::uint32_t r = h.rank().value % 2; r < h.world_size(); r += 2) half.push_back(rank{r});
  const tree own(large_text(self(h)));
  for (int i = 0; i < 3; ++i) {
    const tree got =
        co_await h.broadcast_one_to_all(own, {half.back(), std::chrono::seconds(5), soon, half});
    hold(got == tree(large_text(half.back().value)), "the half's last text");
  }
}

task<void> several_at_once(host& h) {
  std::vector<tree> own;
  for (int i = 0; i < 4; ++i) own.emplace_back(large_text(self(h) + i));
  std::vector<op<tree>> pending;
  for (int i = 0; i < 4; ++i)
    pending.push_back(h.broadcast_one_to_all(
        own[static_cast<std::size_t>(i)],
        {i % 2 == 0 ? rank{0} : last_rank(h), std::chrono::seconds(5), soon}));
  for (int i = 3; i >= 0; --i) {
    const tree got = co_await pending[static_cast<std::size_t>(i)];
    hold(got == tree(large_text((i % 2 == 0 ? 0 : hosts(h) - 1) + i)), "the right one of four");
  }
}

}  // namespace

std::span<const row> of_trees() {
  static constexpr row rows[] = {
      {"process_allgather_stacked_ones", allgather_stacked_ones},
      {"process_allgather_stacked_values", allgather_stacked_values},
      {"process_allgather_of_scalars", allgather_of_scalars},
      {"process_allgather_tiled_ones", allgather_tiled_ones},
      {"process_allgather_tiled_values", allgather_tiled_values},
      {"process_allgather_keeps_64_bits", allgather_keeps_64_bits},
      {"process_allgather_of_a_whole_tree", allgather_of_a_whole_tree},
      {"process_allgather_of_thousands_of_leaves", allgather_of_thousands_of_leaves},
      {"process_allgather_of_unlike_trees", allgather_of_unlike_trees},
      {"broadcast_one_to_all_from_every_rank", broadcast_from_every_rank},
      {"broadcast_one_to_all_of_a_pair_and_a_scalar", broadcast_of_a_pair_and_a_scalar},
      {"broadcast_one_to_all_to_hosts_without_a_tree", broadcast_to_hosts_without_a_tree},
      {"broadcast_one_to_all_by_is_source", broadcast_by_is_source},
      {"broadcast_one_to_all_without_a_source", broadcast_without_a_source},
      {"broadcast_one_to_all_from_two_sources", broadcast_from_two_sources},
      {"broadcast_one_to_all_of_unlike_trees", broadcast_of_unlike_trees},
      {"assert_equal_of_equal_trees", equal_trees_are_equal},
      {"assert_equal_of_large_arrays", large_arrays_are_compared_where_they_are},
      {"assert_equal_names_unequal_leaves", unequal_leaves_are_named},
      {"assert_equal_compares_bits", unequal_bits_are_unequal},
      {"gather_to_every_rank", gather_to_every_rank},
      {"gather_to_nobody", gather_to_nobody},
      {"large_gathers", large_gathers},
      {"large_broadcasts", large_broadcasts},
      {"large_broadcast_in_halves", large_broadcast_in_halves},
      {"large_broadcasts_at_once", several_at_once},
  };
  return rows;
}

}  // namespace muster::rows
