#include <muster/messages/values/cluster/cluster_config.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <muster/messages/values/cluster/host_list.hpp>
#include <muster/messages/values/cluster/text_values.hpp>

namespace muster {
namespace {

constexpr std::array<std::string_view, 14> known_variables = {
    "MUSTER_JOB",        "MUSTER_RANK",     "MUSTER_WORLD_SIZE",   "MUSTER_ROOT",
    "MUSTER_HOSTS",      "MUSTER_LAUNCHER", "MUSTER_BIND",         "MUSTER_ADVERTISE",
    "MUSTER_CREDENTIAL", "MUSTER_LEASE",    "MUSTER_JOIN_TIMEOUT", "MUSTER_FAN_OUT",
    "MUSTER_DEVICES",    "MUSTER_TERMINAL"};

/// Read by the tests and by the script `run`, and inherited by the hosts that these start.
constexpr std::array<std::string_view, 3> foreign_variables = {"MUSTER_SEED", "MUSTER_SEEDS",
                                                               "MUSTER_PACKAGES"};

/// Those that mean something to a host alone.
constexpr std::array<std::string_view, 2> own_variables = {"MUSTER_DEVICES", "MUSTER_TERMINAL"};

constexpr const char* world_rule =
    "a world needs MUSTER_JOB, MUSTER_RANK, MUSTER_WORLD_SIZE and one of MUSTER_ROOT and "
    "MUSTER_LAUNCHER";
constexpr const char* listed_world_rule =
    "a world with MUSTER_HOSTS needs MUSTER_JOB and MUSTER_RANK";

/// What MUSTER_HOSTS alone says.
constexpr std::array<std::string_view, 4> said_by_hosts = {"MUSTER_WORLD_SIZE", "MUSTER_ROOT",
                                                           "MUSTER_LAUNCHER", "MUSTER_ADVERTISE"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Reads variables one by one and gathers everything that is wrong with them.
class reader {
 public:
  explicit reader(const environment& variables) : variables_(variables) {}

  const std::string* find(std::string_view name) const {
    auto at = std::find_if(variables_.begin(), variables_.end(),
                           [&](auto& v) { return v.first == name; });
    return at == variables_.end() ? nullptr : &at->second;
  }

  /// Into `out`, when the variable is set and right.
  template <class T, class Parse>
  bool read(std::string_view name, T& out, Parse parse) {
    const std::string* text = find(name);
    if (text == nullptr) return false;
    if (text->empty()) return problem(name, "is set but empty: leave it out, or give it a value");
    auto value = parse(*text);
    if (!value) return problem(name, "is " + shown(name, *text) + ": it " + value.why().text);
    out = std::move(*value);
    return true;
  }

  bool problem(std::string_view name, const std::string& text) {
    problems_.push_back(std::string(name) + " " + text);
    return false;
  }

  [[nodiscard]] status outcome() const {
    if (problems_.empty()) return {};
    std::string text;
    for (auto& p : problems_) text += (text.empty() ? "" : "; ") + p;
    return error(status_code::invalid_argument, text);
  }

 private:
  static std::string shown(std::string_view name, const std::string& value) {
    if (name == "MUSTER_CREDENTIAL")
      return "a secret of " + std::to_string(value.size()) + " bytes";
    return "'" + shortened(value) + "'";
  }

  const environment& variables_;
  std::vector<std::string> problems_;
};

void check_names(reader& in, const environment& variables) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string& name = variables[i].first;
    const std::string& value = variables[i].second;
    if (!name.starts_with("MUSTER_")) continue;
    if (std::any_of(variables.begin(), variables.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](auto& earlier) { return earlier.first == name; }))
      in.problem(name, "is set twice: a variable has one value");
    if (contains(known_variables, name) || contains(foreign_variables, name)) continue;
    std::string meant;
    for (auto near : near_matches(name, known_variables))
      meant += (meant.empty() ? ", did you mean " : " or ") + std::string(near);
    in.problem(name, "is '" + value + "': Muster has no such variable" + meant);
  }
}

/// The variable that describes a world, if one does.
std::optional<std::string_view> first_of_a_world(const reader& in) {
  for (auto name : known_variables)
    if (!contains(own_variables, name) && in.find(name) != nullptr) return name;
  return {};
}

/// What a description of a world lacks, with the rule once.
void check_completeness(reader& in, std::string_view first, const cluster_config& options) {
  std::vector<std::string> missing;
  const bool listed = in.find("MUSTER_HOSTS") != nullptr;
  for (auto name : {"MUSTER_JOB", "MUSTER_RANK"})
    if (in.find(name) == nullptr) missing.emplace_back(name);
  if (!listed && in.find("MUSTER_WORLD_SIZE") == nullptr) missing.emplace_back("MUSTER_WORLD_SIZE");
  if (!listed && options.world_size > 1 && in.find("MUSTER_ROOT") == nullptr &&
      in.find("MUSTER_LAUNCHER") == nullptr)
    missing.emplace_back("one of MUSTER_ROOT and MUSTER_LAUNCHER");
  if (missing.empty()) return;
  std::string names = missing.front();
  for (std::size_t i = 1; i < missing.size(); ++i)
    names += (i + 1 == missing.size() ? " and " : ", ") + missing[i];
  in.problem(names, (missing.size() == 1 ? "is not set but " : "are not set but ") +
                        std::string(first) + " is: " + (listed ? listed_world_rule : world_rule));
}

/// One source of a fact: two that agree today disagree tomorrow.
void check_hosts(reader& in) {
  if (in.find("MUSTER_HOSTS") == nullptr) return;
  for (auto name : said_by_hosts)
    if (in.find(name) != nullptr)
      in.problem("MUSTER_HOSTS", "and " + std::string(name) +
                                     " are both set: MUSTER_HOSTS alone says how many hosts there "
                                     "are and where each is");
}

void check_root(reader& in, const cluster_config& options) {
  if (in.find("MUSTER_ROOT") != nullptr && in.find("MUSTER_LAUNCHER") != nullptr)
    in.problem("MUSTER_ROOT",
               "and MUSTER_LAUNCHER are both set: one of them says where the world meets");
  for (auto& at : options.root)
    if (at.port == 65'535)
      in.problem("MUSTER_ROOT",
                 "is '" + *in.find("MUSTER_ROOT") +
                     "': a port must be below 65535, since the bulk lane has the next one");
}

result<cluster_config::launcher_address> parse_launcher(std::string_view text) {
  auto lanes = parse_addresses(text, 2);
  if (!lanes || lanes->size() != 2)
    return error(status_code::invalid_argument,
                 "must be two addresses host:port,host:port, as `muster run` sets it");
  return cluster_config::launcher_address{(*lanes)[0], (*lanes)[1]};
}

auto number(std::uint32_t least, std::uint32_t most) {
  return [=](std::string_view text) { return parse_number(text, least, most); };
}

/// The one place that says how many hosts there are, MUSTER_HOSTS or MUSTER_WORLD_SIZE.
void read_size(reader& in, cluster_config& out) {
  bool known = in.read("MUSTER_WORLD_SIZE", out.world_size, number(1, limits::world_size_max));
  std::string source =
      known ? "MUSTER_WORLD_SIZE, which is '" + *in.find("MUSTER_WORLD_SIZE") + "'" : "";
  if (in.read("MUSTER_HOSTS", out.hosts, parse_hosts)) {
    out.world_size = static_cast<std::uint32_t>(out.hosts.size());
    out.root = {out.hosts.front()};
    source = "the " + std::to_string(out.world_size) + " hosts of MUSTER_HOSTS";
    known = true;
  }
  const std::string* rank = in.find("MUSTER_RANK");
  if (known && rank != nullptr && out.rank.value >= out.world_size)
    in.problem("MUSTER_RANK", "is '" + *rank + "': it must be less than " + source);
}

void read_world(reader& in, cluster_config& out) {
  in.read("MUSTER_JOB", out.job, parse_job);
  in.read("MUSTER_RANK", out.rank.value, number(0, limits::world_size_max - 1));
  read_size(in, out);
  in.read("MUSTER_ROOT", out.root,
          [](auto& text) { return parse_addresses(text, limits::root_addresses_max); });
  in.read("MUSTER_LAUNCHER", out.launcher, parse_launcher);
}

void read_own(reader& in, cluster_config& out) {
  in.read("MUSTER_BIND", out.bind,
          [](auto& text) { return parse_address_with_optional_port(text, true); });
  in.read("MUSTER_ADVERTISE", out.advertise,
          [](auto& text) { return parse_address_with_optional_port(text, false); });
  in.read("MUSTER_CREDENTIAL", out.credential, parse_credential);
  in.read("MUSTER_JOIN_TIMEOUT", out.join_timeout, parse_duration);
  in.read("MUSTER_LEASE", out.lease, parse_duration);
  in.read("MUSTER_FAN_OUT", out.fan_out, number(2, limits::world_size_max));
  in.read("MUSTER_DEVICES", out.devices, parse_devices);
  in.read("MUSTER_TERMINAL", out.terminal, parse_flag);
}

}  // namespace

result<device_request> parse_devices(std::string_view text) {
  bool cpu = text.starts_with("cpu:");
  auto count = parse_number(cpu ? text.substr(4) : text, 1, limits::devices_per_host_max);
  if (!count)
    return error(status_code::invalid_argument, "must be a count, such as 2 or cpu:2, from 1 to " +
                                                    std::to_string(limits::devices_per_host_max));
  return device_request{cpu ? device_request::kind::cpu : device_request::kind::any, *count};
}

std::string to_string(const device_request& request) {
  return (request.wanted == device_request::kind::cpu ? "cpu:" : "") +
         std::to_string(request.count);
}

result<cluster_config> cluster_config::from_environment(const environment& variables) {
  reader in(variables);
  cluster_config out;
  check_names(in, variables);
  read_world(in, out);
  read_own(in, out);
  if (const auto first = first_of_a_world(in)) {
    check_completeness(in, *first, out);
    check_hosts(in);
    check_root(in, out);
  }
  if (status why = in.outcome(); !why.ok()) return why;
  return out;
}

}  // namespace muster
