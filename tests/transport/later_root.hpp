// A root of the future: it answers every hello in a protocol version that we don't know. One thread.
#pragma once

namespace muster::testing {

class later_root {
 public:
  /// Listens on loopback at that port and the next.
  explicit later_root(int port);
  ~later_root();
  later_root(const later_root&) = delete;
  later_root& operator=(const later_root&) = delete;

  /// Waits for a hello and answers it; false when none comes.
  bool answer_once();

 private:
  void* context_;
  void* lanes_[2] = {};
};

}  // namespace muster::testing
