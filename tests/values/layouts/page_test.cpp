// What docs/layouts.md shows is true: each of its blocks is read, computed and compared.
#include <fstream>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/layouts/index_map.hpp>
#include <muster/messages/values/layouts/relayout.hpp>

namespace muster::testing {
namespace {

using lines = std::vector<std::string>;

/// The blocks of the page that are marked so.
std::vector<lines> blocks(const std::string& mark) {
  std::ifstream page(MUSTER_LAYOUTS_PAGE);
  std::vector<lines> out;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (inside && line == "```") inside = false;
    if (inside) out.back().push_back(line);
    if (line == "```" + mark) out.emplace_back(), inside = true;
  }
  return out;
}

shape_vector parse_shape(const std::string& text) {
  std::istringstream in(text);
  shape_vector out;
  in.ignore();
  for (std::int64_t n = 0; in >> n; in.ignore()) out.push_back(n);
  return out;
}

/// "LAYOUT of SHAPE".
std::pair<layout, shape_vector> parse_head(const std::string& line) {
  const auto at = line.find(" of ");
  return {parse_layout(line.substr(0, at)).value(), parse_shape(line.substr(at + 4))};
}

TEST(PageOnLayouts, ShowsTheSliceOfEveryDevice) {
  const auto shown = blocks("layout");
  EXPECT_GE(shown.size(), 5u);
  for (const auto& block : shown) {
    const auto [l, shape] = parse_head(block.at(0));
    lines expected{block[0]};
    for (std::size_t p = 0; p < l.mesh().size(); ++p)
      expected.push_back(std::to_string(l.mesh().devices()[p].index.value) + " " +
                         to_string(l.slice_of(p, shape).value()));
    EXPECT_EQ(block, expected);
  }
}

TEST(PageOnLayouts, ShowsTheOwnerOfEverySlice) {
  const auto shown = blocks("owners");
  EXPECT_FALSE(shown.empty());
  for (const auto& block : shown) {
    const auto [l, shape] = parse_head(block.at(0));
    const auto map = index_map::of(l, shape).value();
    lines expected{block[0]};
    for (std::int64_t s = 0; s < map.shard_count(); ++s) {
      const auto owner = map.owners()[static_cast<std::size_t>(s)];
      expected.push_back(std::to_string(l.mesh().devices()[owner].index.value) + " " +
                         to_string(map.slice_of_shard(s)));
    }
    EXPECT_EQ(block, expected);
  }
}

TEST(PageOnLayouts, ShowsTheStepsOfARelayout) {
  const auto shown = blocks("relayout");
  EXPECT_FALSE(shown.empty());
  for (const auto& block : shown) {
    const auto [from, shape] = parse_head(block.at(0));
    lines expected{block[0], block.at(1)};
    const auto plan = plan_relayout(from, parse_layout(block[1]).value(), shape).value();
    for (const auto& s : plan.steps)
      expected.push_back(std::to_string(s.from.value) + ">" + std::to_string(s.to.value) + " " +
                         to_string(s.slice));
    EXPECT_EQ(block, expected);
  }
}

}  // namespace
}  // namespace muster::testing
