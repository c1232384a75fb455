#include <muster/examples/train_text/summary_file.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <nlohmann/json.hpp>

namespace train_text {

std::string summary_json(const train_summary& end, const train_options& options,
                         const std::string& text_file, double seconds, double tokens_per_second) {
  nlohmann::ordered_json j;
  j["text"] = text_file;
  j["hosts"] = end.run.hosts;
  j["devices"] = end.run.devices;
  j["parameters"] = end.run.parameters;
  j["steps"] = end.run.steps;
  j["seed"] = options.seed;
  j["leaves"] = options.leaves;
  j["loss"] = end.loss;
  j["held_out_loss"] = end.held_out_loss;
  j["trigram_loss"] = end.run.trigram_loss;
  j["beats_trigram"] = end.beats_trigram();
  j["digest_at"] = options.digest_at;
  j["digest"] = end.digest ? nlohmann::ordered_json(*end.digest) : nlohmann::ordered_json();
  j["final_digest"] = end.final_digest;
  j["seconds"] = seconds;
  j["tokens_per_second"] = tokens_per_second;
  // A file's name is bytes, not always UTF-8.
  return j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

muster::status write_file(const std::string& path, const std::string& content) {
  const std::string partial = path + ".partial." + std::to_string(::getpid());
  std::FILE* file = std::fopen(partial.c_str(), "wb");
  bool written =
      file != nullptr && std::fwrite(content.data(), 1, content.size(), file) == content.size();
  int number = errno;
  if (file != nullptr && std::fclose(file) != 0 && written) {
    number = errno;
    written = false;
  }
  if (written && std::rename(partial.c_str(), path.c_str()) == 0) return {};
  if (written) number = errno;
  std::remove(partial.c_str());
  return muster::error(muster::status_code::unavailable,
                       "summary file '" + path + "' cannot be written: " +
                           std::error_code(number, std::generic_category()).message());
}

}  // namespace train_text
