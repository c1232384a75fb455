// A trainer that lived on CAF before it met Muster: its actor system, its scheduler, its ledger actor. Muster's
// actors move in and out, and the ledger goes on.
#include <cstdio>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <muster/runtime/run.hpp>
#include <muster/runtime/runtime.hpp>

using namespace std::chrono_literals;

namespace {

/// Adds up what it is told and answers with the sum.
class ledger : public caf::event_based_actor {
 public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[this](double amount) { return sum_ += amount; }};
  }

 private:
  double sum_ = 0;
};

double tell(caf::scoped_actor& self, const caf::actor& book, double amount) {
  double sum = -1;
  self->request(book, 10s, amount).receive([&](double s) { sum = s; }, [](const caf::error&) {});
  return sum;
}

muster::task<float> train(muster::host& host) {
  std::vector<muster::device_cover> loss;
  loss.emplace_back(0, host.device_count());
  loss[0].add(host.first_device().value, muster::array::of(std::vector{1.0F}));
  const muster::array sum = co_await host.all_reduce(loss, muster::reduce_op::sum);
  co_await host.leave();
  co_return sum.elements<float>()[0];
}

}  // namespace

int main() try {
  caf::actor_system_config config;
  caf::actor_system system{config};
  const auto book = system.spawn<ledger>();
  caf::scoped_actor self{system};
  double sum = tell(self, book, 1);
  {
    muster::runtime rt{{.system = &system}};
    auto host = rt.join(muster::host_options::from_environment().value()).value();
    sum = tell(self, book, muster::run(train(host)));
  }
  sum = tell(self, book, 1);
  std::printf("the ledger says %.0f\n", sum);
  std::fflush(stdout);
  self->send_exit(book, caf::exit_reason::user_shutdown);
} catch (const muster::status_error& e) {
  std::fprintf(stderr, "own_actor_system: %s\n", e.what());
  return muster::exit_code(e.why().code);
}
