#include "cli/option_set.h"

#include <CLI/CLI.hpp>

namespace braid::cli {

void OptionSet::text(const char* names, std::string& into, const std::string& help,
                     const char* type) {
  CLI::Option* option = app_.add_option(names, into, help)->type_name(type);
  if (!into.empty()) option->capture_default_str();
}

void OptionSet::required_text(const char* names, std::string& into, const std::string& help) {
  app_.add_option(names, into, help)->required()->type_name("");
}

void OptionSet::texts(const char* names, std::vector<std::string>& into, const std::string& help,
                      const char* type) {
  // One value per flag: `--load-inputs in.npz model.onnx` must not take the model as an input.
  app_.add_option(names, into, help)->type_name(type)->allow_extra_args(false);
}

void OptionSet::required_texts(const char* names, std::vector<std::string>& into,
                               const std::string& help) {
  app_.add_option(names, into, help)->required()->type_name("");
}

void OptionSet::pairs(const char* names, std::vector<std::pair<std::string, std::string>>& into,
                      const std::string& help, const char* type) {
  app_.add_option(names, into, help)->type_name(type)->allow_extra_args(false);
}

void OptionSet::integer(const char* names, int& into, const std::string& help, int least,
                        int most) {
  app_.add_option(names, into, help)->check(CLI::Range(least, most))->capture_default_str();
}

void OptionSet::integer(const char* names, std::int64_t& into, const std::string& help,
                        std::int64_t least, std::int64_t most) {
  app_.add_option(names, into, help)->check(CLI::Range(least, most))->capture_default_str();
}

void OptionSet::seed(const char* names, std::uint64_t& into, const std::string& help) {
  app_.add_option(names, into, help)->capture_default_str();
}

void OptionSet::seed(const char* names, std::optional<std::uint64_t>& into,
                     const std::string& help) {
  app_.add_option(names, into, help);
}

void OptionSet::real(const char* names, double& into, const std::string& help) {
  app_.add_option(names, into, help)->capture_default_str();
}

void OptionSet::flag(const char* names, bool& into, const std::string& help) {
  app_.add_flag(names, into, help);
}

}  // namespace braid::cli
