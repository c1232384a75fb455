#include <muster/examples/train_text/corpus.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include <muster/examples/train_text/keyed_random.hpp>

namespace train_text {
namespace {

muster::status unfit(const std::string& name, const std::string& why) {
  return muster::error(muster::status_code::invalid_argument, "text file '" + name + "' " + why);
}

muster::status too_long(const std::string& name) {
  return unfit(name, "is longer than " + std::to_string(text_bytes_max) +
                         " bytes, which is the most that every host may hold");
}

struct close_file {
  void operator()(std::FILE* f) const { std::fclose(f); }
};

}  // namespace

muster::result<corpus> corpus::read(const std::string& path) {
  const auto because = [](int number) {
    return std::error_code(number, std::generic_category()).message();
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return unfit(path, "cannot be read: it is a directory");
  const std::unique_ptr<std::FILE, close_file> file(std::fopen(path.c_str(), "rb"));
  if (!file) return unfit(path, "cannot be opened: " + because(errno));
  std::string text;
  std::array<char, 1u << 16> block;
  while (const std::size_t n = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), n);
    if (text.size() > text_bytes_max) return too_long(path);
  }
  if (std::ferror(file.get()) != 0) return unfit(path, "cannot be read: " + because(errno));
  return of(text, path);
}

muster::result<corpus> corpus::of(std::string_view text, const std::string& name) {
  if (text.empty()) return unfit(name, "is empty");
  if (const auto zero = text.find('\0'); zero != std::string_view::npos) {
    return unfit(name, "is not text: it has a zero byte at offset " + std::to_string(zero));
  }
  if (text.size() < text_bytes_min) {
    return unfit(name, "has " + std::to_string(text.size()) + " characters; at least " +
                           std::to_string(text_bytes_min) + " are needed");
  }
  if (text.size() > text_bytes_max) return too_long(name);
  std::array<bool, 256> occurs{};
  for (const char c : text) occurs[static_cast<unsigned char>(c)] = true;
  std::array<std::uint8_t, 256> code_of{};
  corpus out;
  for (std::size_t byte = 0; byte < occurs.size(); ++byte) {
    if (!occurs[byte]) continue;
    code_of[byte] = static_cast<std::uint8_t>(out.characters_.size());
    out.characters_.push_back(static_cast<char>(byte));
  }
  out.codes_.reserve(text.size());
  for (const char c : text) out.codes_.push_back(code_of[static_cast<unsigned char>(c)]);
  return out;
}

std::size_t corpus::held_out_last() const {
  return std::min(codes_.size(), held_out_first() + held_out_evaluated_max);
}

std::size_t corpus::position(std::uint64_t seed, std::uint64_t step, std::uint32_t sample,
                             std::uint32_t context) const {
  keyed_random random(seed, purpose::position, step, sample);
  return context + random.below(static_cast<std::uint32_t>(held_out_first() - context));
}

}  // namespace train_text
