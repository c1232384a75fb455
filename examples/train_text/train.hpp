// The trainer: data-parallel training of the character model on every device of every host. One coroutine
// serves the real process and the simulated host; it has no clock, thread or file of its own. Await it on
// the host's executor.
#pragma once

#include <memory>

#include <muster/examples/train_text/corpus.hpp>
#include <muster/examples/train_text/report.hpp>
#include <muster/examples/train_text/train_options.hpp>
#include <muster/runtime/host.hpp>
#include <muster/runtime/task.hpp>

namespace train_text {

/// Each step, every device computes the gradients of its micro-batches (leaf l of the reduction is
/// micro-batch l), the device actors reduce them over all devices, and every host applies the mean to its
/// copy of the parameters. A barrier closes each epoch; at `digest_at` and at the end all hosts compare
/// the digests of their parameters. Every host calls it with the same text and options.
///
/// Throws muster::status_error: what an operation failed with; mismatch when hosts differ in text, options
/// or parameters, or in the digest from options.expect_digest; invalid_argument for options that break a
/// rule. A held-out loss above the trigram's is no error here: the summary says so. `sink` outlives the
/// coroutine.
muster::task<void> train(muster::host& host, std::shared_ptr<const corpus> text,
                         train_options options, report_sink& sink);

}  // namespace train_text
