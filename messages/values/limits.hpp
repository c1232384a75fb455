// Every bound of Muster by its name, with its reason. A test stands at each limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <muster/messages/values/time.hpp>

namespace muster::limits {

using namespace std::chrono_literals;

/// Largest world. Ranks are 32 bits on the wire; above this the simulator has shown nothing.
inline constexpr std::uint32_t world_size_max = 65'536;
/// Devices of one host. The largest nodes have 16; virtual devices in tests go higher.
inline constexpr std::uint32_t devices_per_host_max = 1'024;
/// Fan-out of the tree: 16 keeps 65,536 hosts four levels deep and one node's work small.
inline constexpr std::uint32_t fan_out_default = 16;

/// What one message of an operation carries at most, and a chunk of a stream.
inline constexpr std::size_t inline_bytes_max = 1u << 20;
/// A larger contribution is held back, and moves from host to host on the bulk lane once all have arrived: the root's
/// links would carry it twice, and it would stand before other verdicts. Of a reduction, a larger partial.
inline constexpr std::size_t held_back_above = 64u << 10;
/// A stream's chunk: long enough to keep a link busy, short enough that a pipeline of hosts fills soon.
inline constexpr std::size_t chunk_bytes = 256u << 10;
/// What a host has sent on one stream to one peer and not seen acknowledged: all streams of an operation together
/// about the first, but each at least the second, so that it always moves.
inline constexpr std::size_t bulk_window_bytes = 16u << 20;
inline constexpr std::size_t stream_window_bytes_min = 2 * chunk_bytes;
inline constexpr std::size_t stream_window_bytes_max = 8u << 20;
/// Peers that a stream's host passes it on to, where all get it.
inline constexpr std::uint32_t spread_fan_out = 2;
/// Elements of an array that is reduced: its bytes, of any type, are counted in 63 bits.
inline constexpr std::int64_t elements_max = std::int64_t{1} << 58;
/// Hosts of an operation whose data goes from each to each directly.
inline constexpr std::uint32_t direct_hosts_max = 256;

/// Longest name of an operation: long enough for a path, short enough to be repeated in every report.
inline constexpr std::size_t name_bytes_max = 1'024;
/// Containers around a leaf of a tree that travels: recursion over it stays within any thread's stack.
inline constexpr std::size_t tree_depth_max = 64;
/// Payload frames of one envelope. A tree of arrays is packed; only covers and gathers use several.
inline constexpr std::size_t payload_frames_max = 65'536;
/// Protobuf header of one envelope: a table of 65,536 members fits, a runaway report does not.
inline constexpr std::size_t header_bytes_max = 16u << 20;
/// All frames of one envelope together, what ZeroMQ is told to refuse beyond.
inline constexpr std::size_t envelope_bytes_max = 1u << 30;

/// Local calls of one host that wait at the same time. More is a loop that forgot to wait.
inline constexpr std::size_t pending_operations_max = 4'096;
/// Outcomes of one name that a host has not taken before the fast callers get `straggler_behind`.
inline constexpr std::size_t untaken_rounds_max = 16;
/// The same over all names of a host, so that many distinct names cannot fill its memory either.
inline constexpr std::size_t untaken_total_max = 1'024;
/// Operations open at one node: every member of a large world in its own name, bounded all the same.
inline constexpr std::size_t open_operations_max = 65'536;
/// Later errors that stand behind the first one; the rest is counted.
inline constexpr std::size_t attached_errors_max = 16;
/// Distinct signatures that a mismatch lists; the rest is counted.
inline constexpr std::size_t statements_max = 8;
/// Places that a mismatch of trees compares and shows; the rest is counted.
inline constexpr std::size_t differences_compared_max = 64;
inline constexpr std::size_t differences_shown_max = 4;
/// Of one place, where it is a dict, about so many bytes of keys are shown.
inline constexpr std::size_t difference_bytes_max = 80;
/// The outline of a tree: 10,000 leaves with long paths. It stands in the header of what goes up.
inline constexpr std::size_t outline_bytes_max = 1u << 20;
/// What contributions are together when they are combined on the way up and go down with the verdict.
inline constexpr std::size_t inline_result_bytes_max = 16u << 20;
/// Groups of hosts other than the world that one host has called operations in, in one generation.
inline constexpr std::size_t groups_max = 256;
/// Operations that one intents report lists; the rest is counted.
inline constexpr std::size_t intents_max = 32;
/// Frames of the next generation kept while its table is still on the way here, per host.
inline constexpr std::size_t early_frames_max = 1'024;

/// Deadlines of an operation that gave none: report after 10 s, fail after 30 min.
inline constexpr duration soft_default = 10s;
inline constexpr duration hard_default = 30min;
/// How long a promise holds: a waiter that heard nothing this long after its hard deadline is fenced.
inline constexpr duration lease_default = 5s;
/// How long the root waits for the answers to `close`: a round trip in a deep, busy tree.
inline constexpr duration settle_max = 200ms;
/// How long something stays incomplete before its state is reported upward as intents.
inline constexpr duration intents_interval = 250ms;
/// How long a verdict may stay unacknowledged when no other message goes up meanwhile.
inline constexpr duration acknowledge_delay = 50ms;
/// Unacknowledged verdicts at which an acknowledgement is sent at once, so that logs stay short.
inline constexpr std::uint64_t unacknowledged_max = 64;
/// Join: why it waits is said this soon, and it fails at the time-out.
inline constexpr duration join_soft_default = 2s;
inline constexpr duration join_timeout_default = 5min;

/// Dialling again: first pause and longest pause, doubling between.
inline constexpr duration dial_backoff_min = 10ms;
inline constexpr duration dial_backoff_max = 1s;
/// A connection that has not said hello by then is dropped; ours waits this long for its welcome.
inline constexpr duration hello_timeout = 5s;
/// An address that peers dial: a host name of 255 bytes, scheme and port, or the path of a local socket.
inline constexpr std::size_t endpoint_bytes_max = 512;
/// A hello or its answer, which carries the reason of a refusal; read before we know who is speaking.
inline constexpr std::size_t hello_bytes_max = 16u << 10;
/// Connections of replaced lives that are remembered, so that what still comes from them counts as stale.
inline constexpr std::size_t replaced_callers_max = 1'024;
/// A quiet connection is pinged this often by the library under the transport, and given up after this
/// much silence, so that a host that lost its power doesn't hold a connection for TCP's many minutes.
inline constexpr duration ping_interval = 2s;
inline constexpr duration silence_max = 10s;
/// Messages queued on one lane to one peer before the sender is told `would_block`.
inline constexpr int lane_queue_max = 10'000;
/// Messages that a host keeps for one peer while its lane is full. Beyond it the link is re-made, after
/// which both ends say their state again: shorter than what was queued.
inline constexpr std::size_t outbox_messages_max = 1'024;
/// What is still queued when a transport closes has this long to leave.
inline constexpr duration linger_max = 1s;
/// Work of one reactor step before deadlines are looked at again.
inline constexpr std::size_t step_messages_max = 256;
inline constexpr std::size_t step_bytes_max = 1u << 20;

/// A name of a mesh or of its dimension stands in every layout's text: a word, not a path.
inline constexpr std::size_t mesh_name_bytes_max = 64;
/// Dimensions of a mesh: physical meshes have four, and a product of this many twos is out of reach.
inline constexpr std::size_t mesh_dimensions_max = 16;
/// Devices of a mesh: the largest world with 16 devices on each host.
inline constexpr std::size_t mesh_devices_max = 1u << 20;
/// Dimensions of an array that has a layout.
inline constexpr std::size_t array_rank_max = 32;
/// Steps of a relayout plan. A plan above it exchanges slivers; nobody waits for such a thing by design.
inline constexpr std::size_t relayout_steps_max = 1u << 22;

/// Job names and credentials stand in every hello: short.
inline constexpr std::size_t job_bytes_max = 128;
inline constexpr std::size_t credential_bytes_max = 256;
/// Addresses of MUSTER_ROOT: a root and its understudies, not the whole world.
inline constexpr std::size_t root_addresses_max = 64;
/// Longest time that an environment variable or option can name; a year is a slip of the unit.
inline constexpr duration named_duration_max = 30 * 24h;

/// Hosts that one `muster run` starts: each takes two pipes and a few sockets of the supervisor.
inline constexpr std::uint32_t launched_hosts_max = 512;
/// A longer line of a host is broken, so that a program without line ends cannot fill the supervisor.
inline constexpr std::size_t output_line_bytes_max = 64u << 10;
/// Output that waits for a slow terminal or pipe; beyond it the hosts are no longer read, and wait.
inline constexpr std::size_t output_buffer_bytes_max = 256u << 10;
/// How long after a host's failure the others go on undisturbed: one failure is often everybody's, and
/// each should have said its own before it is stopped.
inline constexpr duration failure_settle = 250ms;
/// How long hosts have to end after SIGTERM, when another one failed, before they are killed.
inline constexpr duration grace_default = 5s;
/// The same after a signal from outside: long enough to reach a sync point and save.
inline constexpr duration drain_default = 10min;

/// Launches, copies and frees that wait in one device's stream. CUDA's own queue holds about as many
/// before a launch would block; more is a caller that does not wait for its results.
inline constexpr std::size_t device_queue_max = 1'024;
/// Commands of one device actor that are not answered yet; more are answered resource_exhausted.
inline constexpr std::size_t device_commands_max = 512;
/// How long closing a device waits for the kernel that is running. One that runs on is left to its thread.
inline constexpr duration device_close_max = 5s;

/// Reports that wait for whoever prints them; later ones are dropped and counted. A host says few.
inline constexpr std::size_t reports_max = 1'024;
/// How long a report waits for a full pipe on stderr before it is dropped.
inline constexpr duration report_write_max = 200ms;
}  // namespace muster::limits
