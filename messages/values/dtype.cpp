#include <string>

#include <muster/messages/values/dtype.hpp>
#include <muster/messages/values/ensure.hpp>

namespace muster {

std::size_t size_of(dtype d) {
  switch (d) {
    case dtype::i8:
    case dtype::u8:
    case dtype::boolean: return 1;
    case dtype::f16:
    case dtype::bf16:
    case dtype::i16:
    case dtype::u16: return 2;
    case dtype::f32:
    case dtype::i32:
    case dtype::u32: return 4;
    case dtype::f64:
    case dtype::i64:
    case dtype::u64: return 8;
  }
  detail::fail_ensure("dtype number " + std::to_string(static_cast<int>(d)) + " has no size",
                      std::source_location::current());
}

std::string_view to_string(dtype d) {
  switch (d) {
    case dtype::f32: return "f32";
    case dtype::f64: return "f64";
    case dtype::f16: return "f16";
    case dtype::bf16: return "bf16";
    case dtype::i8: return "i8";
    case dtype::i16: return "i16";
    case dtype::i32: return "i32";
    case dtype::i64: return "i64";
    case dtype::u8: return "u8";
    case dtype::u16: return "u16";
    case dtype::u32: return "u32";
    case dtype::u64: return "u64";
    case dtype::boolean: return "bool";
  }
  return "unknown dtype";
}

std::optional<dtype> dtype_from_number(std::uint32_t number) {
  if (number < static_cast<std::uint32_t>(dtype::f32) ||
      number > static_cast<std::uint32_t>(dtype::boolean))
    return {};
  return static_cast<dtype>(number);
}

}  // namespace muster
