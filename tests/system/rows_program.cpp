// One host of a real world that runs every row, one after the other, and prints how each ended.
#include <cstdio>

#include <muster/runtime/run.hpp>
#include <muster/runtime/runtime.hpp>
#include <muster/tests/rows/rows.hpp>

namespace {

muster::task<void> run_all(muster::host& host) {
  for (const auto& row : muster::rows::all()) {
    std::string ended = "holds";
    try {
      co_await row.run(host);
    } catch (const muster::status_error& e) {
      ended = e.what();
    }
    std::printf("%.*s: %s\n", static_cast<int>(row.name.size()), row.name.data(), ended.c_str());
    std::fflush(stdout);
  }
  co_await host.leave(muster::rows::in_time);
}

}  // namespace

int main() try {
  muster::runtime rt;
  auto host = rt.join(muster::host_options::from_environment().value()).value();
  muster::run(run_all(host));
} catch (const muster::status_error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return muster::exit_code(e.why().code);
}
