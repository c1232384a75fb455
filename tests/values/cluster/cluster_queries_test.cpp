#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/cluster/cluster_queries.hpp>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::array<std::uint32_t, 4> uneven = {2, 1, 8, 3};

const cluster_config four_hosts = {.job = "train", .rank = rank{3}, .world_size = 4};

TEST(ClusterQueries, KnowAWorldOfOneHoweverItWasDescribed) {
  EXPECT_TRUE(is_alone({}));
  EXPECT_TRUE(is_alone({.job = "j", .world_size = 1, .hosts = {{"a", 1}}}));
  EXPECT_FALSE(is_alone(four_hosts));
}

TEST(ClusterQueries, NameAHostInItsJob) {
  EXPECT_EQ(full_host_name({}, rank{0}).value(), "alone/host:0");
  EXPECT_EQ(full_host_name(four_hosts, four_hosts.rank).value(), "train/host:3");
}

TEST(ClusterQueries, NameNoHostOutsideOfTheWorld) {
  EXPECT_EQ(full_host_name({}, rank{1}).why().text,
            "rank 1 must be below the number of hosts, which is 1");
  EXPECT_EQ(full_host_name(four_hosts, rank{4}).why().code, status_code::invalid_argument);
}

TEST(ClusterQueries, CountTheDevicesOfHostsThatDiffer) {
  EXPECT_EQ(global_device_count(uneven).value(), 14u);
  EXPECT_EQ(global_device_count({}).value(), 0u);
}

TEST(ClusterQueries, NumberTheDevicesOfAHostAfterThoseBeforeIt) {
  EXPECT_EQ(local_devices(uneven, rank{0}).value(), (device_range{device_index{0}, 2}));
  EXPECT_EQ(local_devices(uneven, rank{2}).value(), (device_range{device_index{3}, 8}));
  EXPECT_EQ(local_devices(uneven, rank{3}).value(), (device_range{device_index{11}, 3}));
  EXPECT_THAT(local_devices(uneven, rank{4}).why().text, HasSubstr("rank 4 must be below"));
  EXPECT_THAT(local_devices({}, rank{0}).why().text, HasSubstr("which is 0"));
}

TEST(ClusterQueries, NameTheDevicesOfOneHostByTheirNumberOnIt) {
  EXPECT_THAT(full_device_names({}, std::array{2u}, rank{0}).value(),
              ElementsAre("alone/host:0/device:0", "alone/host:0/device:1"));
  EXPECT_THAT(full_device_names(four_hosts, uneven, rank{1}).value(),
              ElementsAre("train/host:1/device:0"));
  EXPECT_THAT(full_device_names(four_hosts, uneven, rank{4}).why().text, HasSubstr("rank 4"));
}

TEST(ClusterQueries, WantACountForEachHost) {
  EXPECT_EQ(full_device_names(four_hosts, std::array{2u, 1u}, rank{0}).why().text,
            "device counts of 2 hosts must be as many as the world has, which is 4");
}

TEST(ClusterQueries, NameTheHostWhoseCountIsOutOfRange) {
  EXPECT_EQ(global_device_count(std::array{1u, 0u}).why().text,
            "the device count 0 of rank 1 must be from 1 to 1024");
  EXPECT_THAT(local_devices(std::array{1u, 1025u}, rank{0}).why().text,
              HasSubstr("the device count 1025 of rank 1"));
}

TEST(ClusterQueries, CountTheDevicesOfTheLargestWorld) {
  std::vector<std::uint32_t> most(limits::world_size_max, limits::devices_per_host_max);
  EXPECT_EQ(global_device_count(most).value(), 1u << 26);
  EXPECT_EQ(local_devices(most, rank{limits::world_size_max - 1})->first,
            (device_index{(1u << 26) - 1024}));
  most.push_back(1);
  EXPECT_EQ(global_device_count(most).why().text, "65537 hosts must be at most 65536");
}

}  // namespace
}  // namespace muster
