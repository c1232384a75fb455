#include <muster/examples/train_text/train.hpp>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <muster/examples/train_text/digest.hpp>
#include <muster/examples/train_text/generate.hpp>
#include <muster/examples/train_text/reduce_in_pieces.hpp>
#include <muster/examples/train_text/replica.hpp>
#include <muster/examples/train_text/trigram.hpp>

namespace train_text {
namespace {

using muster::device_cover;
using muster::reduce_op;

constexpr std::size_t sample_characters = 400;

using leaf_work = std::function<muster::array(std::uint32_t leaf)>;

/// Runs `work` for every leaf of this host on the leaf's device, all devices at once, and reduces what
/// it returns over all leaves of all hosts.
muster::task<muster::array> reduce_leaves(muster::host& host, std::uint32_t leaves,
                                          std::string name, leaf_work work, reduce_op how) {
  const auto local = static_cast<std::uint32_t>(host.devices().size());
  // Shared with the launched functions: they may outlive this coroutine when the host ends early.
  auto covers = std::make_shared<std::vector<device_cover>>();
  for (std::uint32_t d = 0; d < local; ++d) covers->emplace_back(d, leaves);
  std::vector<muster::op<void>> running;
  for (std::uint32_t d = 0; d < local; ++d) {
    const leaf_range mine = leaves_of(host.first_device().value + d, host.device_count(), leaves);
    std::function<void()> all_mine = [covers, work, d, mine] {
      for (std::uint32_t leaf = mine.first; leaf < mine.last; ++leaf) {
        (*covers)[d].add(leaf, work(leaf));
      }
    };
    running.push_back(host.devices()[d].launch(name, std::move(all_mine)));
  }
  for (auto& launched : running) co_await launched;
  co_return co_await reduce_in_pieces(host, leaves, *covers, how);
}

/// What all hosts must have been told alike.
std::string told(const corpus& text, const train_options& o) {
  const std::string codes(text.codes().begin(), text.codes().end());
  const std::string bytes = text.characters() + codes;
  return "train_text: text " + digest_of(std::as_bytes(std::span(bytes))) + ", " +
         std::to_string(o.steps) + " steps, seed " + std::to_string(o.seed) + ", " +
         std::to_string(o.leaves) + " leaves, digest at step " + std::to_string(o.digest_at) +
         (o.expect_digest.empty() ? "" : " expected to be " + o.expect_digest);
}

/// One run of one host. Its coroutines run one after another.
class run {
 public:
  run(muster::host& host, std::shared_ptr<const corpus> text, const train_options& options,
      report_sink& sink)
      : host_(host), options_(options), sink_(sink) {
    facts_.rank = host.rank().value;
    facts_.hosts = host.world_size();
    facts_.devices = host.device_count();
    facts_.steps = options.steps;
    facts_.epoch_steps = (text->held_out_first() + batch_samples - 1) / batch_samples;
    facts_.vocabulary = text->vocabulary();
    facts_.trigram_loss = trigram_loss(*text);
    replica_ = std::make_shared<replica>(std::move(text), options);
    facts_.parameters = replica_->shape().parameter_count();
  }

  muster::task<void> all() {
    sink_.began(facts_);
    co_await begin_alike();
    train_summary end;
    end.run = facts_;
    for (std::uint64_t done = 1; done <= options_.steps; ++done) {
      end.loss = co_await step(done - 1);
      sink_.stepped(done, end.loss);
      if (done == options_.digest_at) end.digest = co_await compare(done);
      if (done % facts_.epoch_steps == 0 || done == options_.steps) {
        end.held_out_loss = co_await close_epoch(done);
      }
    }
    if (options_.digest_at == options_.steps) {
      end.final_digest = *end.digest;
    } else {
      end.final_digest = co_await compare(options_.steps);
    }
    end.sample = co_await sample();
    end.devices = device_facts_of_this_host();
    sink_.ended(end);
  }

 private:
  /// The parameters of rank 0 go to everyone: a broadcast is bytes, so all begin from the same bits.
  muster::task<void> begin_alike() {
    const std::string everything = told(replica_->text(), options_);
    co_await host_.sync_global_devices(everything);
    muster::tree initial;
    if (facts_.rank == 0) {
      initial.set("parameters",
                  muster::array::of(initial_parameters(replica_->shape(), options_.seed)));
    }
    const muster::tree given = co_await host_.broadcast_one_to_all(initial);
    const muster::tree* parameters = given.find("parameters");
    const auto* values = parameters ? parameters->leaf<muster::array>() : nullptr;
    const muster::status begun = replica_->begin(values ? *values : muster::array{});
    if (!begun.ok()) throw muster::status_error(begun);
  }

  /// Step `number`, from 0: its loss.
  muster::task<double> step(std::uint64_t number) {
    leaf_work gradient = [replica = replica_, number](std::uint32_t leaf) {
      return replica->gradient(number, leaf);
    };
    const muster::array mean = co_await reduce_leaves(host_, options_.leaves, "gradients",
                                                      std::move(gradient), reduce_op::mean);
    auto loss = std::make_shared<float>();
    // Arithmetic belongs to devices: their threads have the rounding mode that fixes its bits.
    std::function<void()> update = [replica = replica_, mean, loss] {
      *loss = replica->apply(mean);
    };
    co_await host_.devices()[0].launch("adamw", std::move(update));
    co_return static_cast<double>(*loss);
  }

  /// All hosts learn that all have come here; each device evaluates its part of the held-out text.
  muster::task<double> close_epoch(std::uint64_t done) {
    leaf_work part = [replica = replica_](std::uint32_t leaf) {
      return replica->held_out_part(leaf);
    };
    const muster::array sum = co_await reduce_leaves(host_, options_.leaves, "held-out loss",
                                                     std::move(part), reduce_op::sum);
    const double loss = replica_->held_out_loss(sum);
    const std::uint64_t epoch = (done + facts_.epoch_steps - 1) / facts_.epoch_steps;
    const std::string name = "epoch " + std::to_string(epoch);
    co_await host_.barrier(name);
    sink_.epoch_closed(epoch, done, loss);
    co_return loss;
  }

  /// The digest of the parameters, which is the same on all hosts, and the expected one at its step.
  muster::task<std::string> compare(std::uint64_t done) {
    const std::string digest = digest_of(replica_->parameters());
    const std::string after = "parameters after step " + std::to_string(done);
    const std::string name = after + ": " + digest;
    co_await host_.sync_global_devices(name);
    sink_.compared(done, digest);
    if (done == options_.digest_at && !options_.expect_digest.empty() &&
        digest != options_.expect_digest) {
      throw muster::status_error(muster::error(
          muster::status_code::mismatch,
          after + " have digest " + digest + ", but " + options_.expect_digest + " was expected"));
    }
    co_return digest;
  }

  muster::task<std::string> sample() {
    auto written = std::make_shared<std::string>();
    if (facts_.rank == 0) {
      std::function<void()> write = [replica = replica_, written] {
        *written = generate(replica->shape(), replica->parameters(), replica->text(),
                            replica->options().seed, sample_characters);
      };
      co_await host_.devices()[0].launch("sample", std::move(write));
    }
    co_return std::move(*written);
  }

  [[nodiscard]] std::vector<device_facts> device_facts_of_this_host() const {
    std::vector<device_facts> all;
    std::uint32_t index = host_.first_device().value;
    for (const auto& device : host_.devices()) {
      const muster::device_counters n = device.counters();
      all.push_back({index++, device.kind(), n.launches, n.bytes_reduced, n.busy});
    }
    return all;
  }

  muster::host& host_;
  const train_options& options_;
  report_sink& sink_;
  std::shared_ptr<replica> replica_;  // launched functions hold it too
  run_facts facts_;
};

}  // namespace

muster::task<void> train(muster::host& host, std::shared_ptr<const corpus> text,
                         train_options options, report_sink& sink) {
  if (const muster::status fit = check(options, host.device_count()); !fit.ok()) {
    throw muster::status_error(fit);
  }
  run mine(host, std::move(text), options, sink);
  co_await mine.all();
}

}  // namespace train_text
