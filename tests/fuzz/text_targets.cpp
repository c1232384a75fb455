#include <string>
#include <utility>

#include <muster/messages/values/cluster/cluster_config.hpp>
#include <muster/messages/values/cluster/host_list.hpp>
#include <muster/messages/values/cluster/text_values.hpp>
#include <muster/messages/values/ensure.hpp>
#include <muster/messages/values/layouts/layout.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/tests/fuzz/targets.hpp>
#include <muster/tests/values/layouts/meshes.hpp>

namespace muster::fuzz {
namespace {

using testing::make_layout;
using testing::make_mesh;

// What a strict parser takes is what to_string writes, to the byte.
template <class Value>
bool is_written_as_read(const result<Value>& read, std::string_view text) {
  if (read.ok())
    ensure(to_string(read.value()) == text, "a text that is read is the text that is written");
  else
    ensure(read.why().code == status_code::invalid_argument && !read.why().text.empty(),
           "a text that is refused is told why");
  return read.ok();
}

// What a lenient parser takes may be written otherwise, but what is written reads the same.
template <class Value, class Parse>
bool reads_the_same_again(const result<Value>& read, Parse parse) {
  if (!read.ok()) {
    ensure(!read.why().text.empty(), "a text that is refused is told why");
    return false;
  }
  const auto again = parse(to_string(read.value()));
  ensure(again.ok() && again.value() == read.value(), "what is written is read as the same value");
  return true;
}

template <class... Text>
std::vector<payload> payloads(const Text&... texts) {
  return {payload::copy_of(std::string_view(texts))...};
}

mesh scattered_mesh() {
  return mesh::of("train", device_kind::cuda, {{"data", 2}, {"model", 3}},
                  {{device_index{7}, rank{1}},
                   {device_index{8}, rank{1}},
                   {device_index{0}, rank{0}},
                   {device_index{65'535}, rank{9}},
                   {device_index{1}, rank{0}},
                   {device_index{2}, rank{0}}})
      .value();
}

}  // namespace

bool read_mesh(const payload& input) {
  return is_written_as_read(parse_mesh(input.text()), input.text());
}

std::vector<payload> meshes() {
  return payloads(to_string(mesh()), to_string(make_mesh({{"x", 1}})), to_string(scattered_mesh()),
                  to_string(make_mesh({{"x", 2}, {"y", 3}, {"z", 4}}, 4)));
}

bool read_partition_spec(const payload& input) {
  return is_written_as_read(parse_partition_spec(input.text()), input.text());
}

std::vector<payload> partition_specs() {
  const auto text = [](std::initializer_list<std::string_view> entries) {
    return to_string(partition_spec::of(entries).value());
  };
  return payloads(text({}), text({"x"}), text({"x", "", "y+z", "match"}), text({"a-b.c_d"}));
}

bool read_layout(const payload& input) {
  return is_written_as_read(parse_layout(input.text()), input.text());
}

std::vector<payload> layouts() {
  const mesh three = make_mesh({{"x", 2}, {"y", 3}, {"z", 4}}, 4);
  return payloads(to_string(make_layout({}, three)),
                  to_string(make_layout({"x+y", "", "z"}, three)),
                  to_string(make_layout({"match", "model"}, scattered_mesh())));
}

bool read_config(const payload& input) {
  const std::string_view text = input.text();
  bool taken = reads_the_same_again(parse_address(text), parse_address);
  taken |= reads_the_same_again(parse_devices(text), parse_devices);
  if (const auto hosts = parse_hosts(text); hosts.ok())
    for (const address& host : hosts.value())
      taken |= reads_the_same_again(result(host), parse_address);
  if (const auto number = parse_number(text, 0, 65'535); number.ok()) {
    ensure(number.value() <= 65'535, "a number lies within its bounds");
    taken = true;
  }
  if (const auto time = parse_duration(text); time.ok()) {
    ensure(time.value() >= duration::zero(), "no duration is negative");
    taken = true;
  }
  return parse_job(text).ok() || parse_credential(text).ok() || parse_flag(text).ok() || taken;
}

std::vector<payload> configs() {
  return payloads("127.0.0.1:4000", "[::1]:65535", "host0:1,host1:1,[fe80::1]:2,10.0.0.1:3",
                  "250ms", "1.5h", "cpu:2", "16", "true", "off", "job-a_1.b");
}

}  // namespace muster::fuzz
