// What a host refuses by itself, before anything is sent: the text names the value and the rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <caf/send.hpp>

#include <muster/tests/system/world_of_hosts.hpp>

namespace muster::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct Refusals : ::testing::Test {
  status reduce(const std::vector<device_cover>& covers) {
    return world.hosts.at(0).all_reduce(covers, reduce_op::sum, {1s, 10s}).wait().why();
  }
  world_of_hosts world{1, 2};
  const array one = array::of(std::vector<float>{1.0f});
};

TEST_F(Refusals, NameALeafThatIsGivenTwice) {
  std::vector<device_cover> covers{{0, 4}, {1, 4}};
  for (auto& c : covers) c.add(3, one);
  EXPECT_THAT(to_string(reduce(covers)),
              AllOf(HasSubstr("invalid_argument"), HasSubstr("leaf 3 is given twice")));
}

TEST_F(Refusals, NameALeafBeyondTheLeafCount) {
  std::vector<device_cover> covers{{0, 4}};
  covers[0].add(4, one);
  EXPECT_THAT(reduce(covers).text, HasSubstr("leaf 4 must be below the leaf count 4"));
}

TEST_F(Refusals, NameBothShapesThatDiffer) {
  std::vector<device_cover> covers{{0, 4}, {1, 4}};
  covers[0].add(0, one);
  covers[1].add(1, array::of(std::vector<float>{1.0f, 2.0f}));
  EXPECT_THAT(reduce(covers).text, AllOf(HasSubstr("f32(1,)"), HasSubstr("f32(2,)")));
}

TEST_F(Refusals, NameADtypeThatCannotBeReduced) {
  std::vector<device_cover> covers{{0, 4}};
  covers[0].add(0, array::of(std::vector<bool>{true}));
  EXPECT_THAT(reduce(covers).text, AllOf(HasSubstr("bool"), HasSubstr("is of ")));
}

TEST_F(Refusals, NameADeviceThatIsNotThere) {
  std::vector<device_cover> covers{{2, 4}};
  covers[0].add(0, one);
  EXPECT_THAT(reduce(covers).text, HasSubstr("device 2 must be below the 2 devices"));
}

TEST_F(Refusals, AskForDtypeAndShapeOfAHostWithoutLeaves) {
  EXPECT_THAT(reduce({}).text, HasSubstr("without leaves"));
}

TEST_F(Refusals, UseUpNoPlaceInTheOrder) {
  EXPECT_FALSE(reduce({}).ok());
  EXPECT_TRUE(world.hosts[0].sync_global_devices("next", {1s, 10s}).wait().ok());
}

TEST_F(Refusals, SayThatADeviceHasEnded) {
  caf::anon_send_exit(world.hosts[0].devices()[1].actor(), caf::exit_reason::kill);
  std::vector<device_cover> covers{{0, 2}, {1, 2}};
  for (std::uint32_t d = 0; d < 2; ++d) covers[d].add(d, one);
  EXPECT_EQ(reduce(covers).code, status_code::device_error);
}

TEST(JoinRefusals, NameTheOptionAndTheRule) {
  runtime rt;
  auto refused = [&](host_options o) { return rt.join(o).why(); };
  host_options o;
  o.rank = rank{3};
  EXPECT_THAT(refused(o).text, AllOf(HasSubstr("rank 3"), HasSubstr("world size 1")));
  o = {};
  o.world_size = 2;
  EXPECT_THAT(refused(o).text, HasSubstr("address of its root"));
  o = {};
  o.devices.count = 0;
  EXPECT_THAT(refused(o).text, HasSubstr("devices 0"));
  o = {};
  o.world_size = 2;
  o.hosts = {{"127.0.0.1", 1}};
  o.root = o.hosts;
  EXPECT_THAT(refused(o).text, AllOf(HasSubstr("hosts names 1"), HasSubstr("which is 2")));
  o = {};
  o.hosts = {{"127.0.0.1", 1}};
  o.root = {{"127.0.0.1", 3}};
  EXPECT_THAT(refused(o).text, HasSubstr("root the first of them"));
  o = {};
  o.bind = address{"203.0.113.1", 0};
  EXPECT_THAT(refused(o).text, HasSubstr("203.0.113.1"));
}

}  // namespace
}  // namespace muster::testing
