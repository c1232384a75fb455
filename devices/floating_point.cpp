#include <cfenv>

#include <muster/devices/order.hpp>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace muster::order {

namespace {

// The control register that the vector unit obeys. Compilers use no other unit for float and double here,
// so fesetround alone, which also sets the old x87 unit, would say nothing about FTZ and DAZ.
#if defined(__SSE2__)
constexpr std::uint64_t rounding_bits = 0x6000, flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
std::uint64_t read_mode() { return _mm_getcsr(); }
void write_mode(std::uint64_t mode) { _mm_setcsr(static_cast<unsigned>(mode)); }
constexpr std::uint64_t ieee_mode(std::uint64_t mode) {
  return mode & ~(rounding_bits | flush_to_zero | denormals_are_zero);
}
#elif defined(__aarch64__)
constexpr std::uint64_t rounding_bits = 3ull << 22, flush_to_zero = 1ull << 24,
                        flush_f16 = 1ull << 19;
std::uint64_t read_mode() {
  std::uint64_t mode = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
void write_mode(std::uint64_t mode) { __asm__ volatile("msr fpcr, %0" : : "r"(mode)); }
constexpr std::uint64_t ieee_mode(std::uint64_t mode) {
  return mode & ~(rounding_bits | flush_to_zero | flush_f16);
}
#else
std::uint64_t read_mode() { return static_cast<std::uint64_t>(std::fegetround()); }
void write_mode(std::uint64_t mode) { std::fesetround(static_cast<int>(mode)); }
std::uint64_t ieee_mode(std::uint64_t) { return static_cast<std::uint64_t>(FE_TONEAREST); }
#endif

}  // namespace

void set_floating_point_mode() { write_mode(ieee_mode(read_mode())); }

floating_point_scope::floating_point_scope() : saved_(read_mode()) { set_floating_point_mode(); }

floating_point_scope::~floating_point_scope() { write_mode(saved_); }

}  // namespace muster::order
