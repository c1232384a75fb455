// What a reactor serves besides actors: something with a descriptor, deadlines and work to look for. All
// functions are called on the thread of the registry that the client was added to: the reactor's, or the
// simulator's driver.
#pragma once

#include <optional>

#include <muster/messages/values/time.hpp>

namespace muster {

class reactor_client {
 public:
  /// Do what is due and what is ready: one bounded step.
  virtual void serve(time_point now) = 0;
  /// When to be served if nothing comes first.
  [[nodiscard]] virtual std::optional<time_point> deadline() const = 0;
  /// Readable when there may be something to serve; -1 for none. Waited for only when not busy.
  [[nodiscard]] virtual int descriptor() const = 0;
  /// The last step stopped at its bound, not for lack of work: serve again before sleeping.
  [[nodiscard]] virtual bool busy() const = 0;

 protected:
  ~reactor_client() = default;
};

/// Who serves clients. A client is added and removed on the thread that serves it; removing one from
/// within its own `serve` is allowed.
class client_registry {
 public:
  virtual void add(reactor_client&) = 0;
  virtual void remove(reactor_client&) = 0;

 protected:
  ~client_registry() = default;
};

}  // namespace muster
