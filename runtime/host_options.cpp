#include <muster/runtime/host_options.hpp>

#include <utility>

namespace muster {

result<host_options> host_options::from_environment(const environment& variables) {
  auto config = cluster_config::from_environment(variables);
  if (!config) return config.why();
  return host_options{std::move(*config)};
}

}  // namespace muster
