// What a host must know to join its world, and how the environment says it. A value; any thread.
//
//   MUSTER_JOB           the job's name, the same on every host
//   MUSTER_RANK          this host, 0 to world size - 1
//   MUSTER_WORLD_SIZE    how many hosts
//   MUSTER_ROOT          host:port,...: where rank 0 listens, and other hosts that may know it.
//                        The port is that of the control lane; the bulk lane has the next one
//   MUSTER_HOSTS         host:port,...: all hosts in rank order, instead of WORLD_SIZE, ROOT and
//                        ADVERTISE. A host listens at the port of its own entry, and is dialled
//                        at that entry. See parse_hosts for what the list must be
//   MUSTER_LAUNCHER      host:port,host:port: control and bulk lane of the supervisor of
//                        `muster run`, instead of ROOT
//   MUSTER_BIND          host[:port]: where this host listens; `*` is every interface
//   MUSTER_ADVERTISE     host[:port]: what it tells others to dial
//   MUSTER_CREDENTIAL    a secret that all hosts share
//   MUSTER_JOIN_TIMEOUT  how long to wait for the others, 5min
//   MUSTER_LEASE         how long a promise holds, 5s
//   MUSTER_FAN_OUT       children per node of the tree of hosts, 16
//   MUSTER_DEVICES       how many devices: 2, or cpu:2; 1 when not set
//   MUSTER_TERMINAL      1 when what this host prints is seen live on a terminal, else 0
//
// JOB, RANK, WORLD_SIZE and one of ROOT and LAUNCHER go together (a world of 1 needs no root), or
// JOB, RANK and HOSTS, and then not WORLD_SIZE, ROOT, LAUNCHER or ADVERTISE. A flag is 0 or 1.
// Without any of them the world is this host alone, and then only DEVICES and TERMINAL mean
// anything: the rest is an error.
#pragma once

#include <muster/messages/values/cluster/cluster_config.hpp>
#include <muster/runtime/environment.hpp>

namespace muster {

struct host_options : cluster_config {
  /// Reads the environment by the grammar above. The error is an invalid_argument that lists every
  /// problem with its variable, value (never the credential's) and rule.
  static result<host_options> from_environment(const environment& = process_environment());

  friend bool operator==(const host_options&, const host_options&) = default;
};

/// Where a host listens and what it tells others to dial; ports of 0 are chosen when binding, and
/// an advertised port of 0 is the bound one. The bulk lane has the next port, or any.
struct listening {
  address bind;
  address advertise;
  friend bool operator==(const listening&, const listening&) = default;
};

/// What `bind` and `advertise` say, or what the rest suggests: the host's own entry in `hosts`; this
/// machine only under a launcher, or where the root or all hosts are on it; else every interface,
/// advertised by the address that faces the root. May ask the resolver, and then blocks as long as
/// that does.
result<listening> listening_of(const host_options&);

}  // namespace muster
