#include "cli/option_set.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid::cli {
namespace {

/// Whether the whole text is a number from `least` to `most`; infinities and NaN are none.
template <class Number>
bool is_number(const std::string& text, Number least, Number most) {
  Number x = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, x);
  return problem == std::errc() && stop == end && x >= least && x <= most;
}

template <class Number>
auto whole_number(Number least, Number most) {
  return [=](const std::string& text) -> std::string {
    if (is_number(text, least, most)) return {};
    return fmt::format("expected a whole number from {} to {}, got {}", least, most, quote(text));
  };
}

std::string check_seed(const std::string& text) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return whole_number<std::uint64_t>(0, kMost)(text);
}

std::string check_real(const std::string& text) {
  constexpr double kMost = 1e300;
  if (is_number(text, 0.0, kMost)) return {};
  return fmt::format("expected a number that is not negative, got {}", quote(text));
}

std::string long_name(const CLI::Option& option) {
  return option.get_lnames().empty() ? "" : "--" + option.get_lnames().front();
}

bool mean_the_same(const CLI::Option& one, const CLI::Option& other) {
  return one.get_lnames() == other.get_lnames() && one.get_snames() == other.get_snames() &&
         one.get_description() == other.get_description();
}

/// The word that gives the option this value, which it had from another word.
std::string word_of(const CLI::Option& option, const std::string& value) {
  const std::string name = long_name(option);
  if (option.get_type_size() > 0) return name + "=" + value;
  // A flag; --no-x sets its variable to false, and --no-x=false to true.
  return option.get_flag_value(option.get_lnames().front(), {}) == value ? name : name + "=false";
}

}  // namespace

void OptionSet::text(const char* names, std::string& into, const std::string& help,
                     const char* type) {
  CLI::Option* option = app_.add_option(names, into, help)->type_name(type);
  if (!into.empty()) option->capture_default_str();
  texts_.push_back(&into);
}

void OptionSet::required_text(const char* names, std::string& into, const std::string& help) {
  app_.add_option(names, into, help)->required()->type_name("");
  texts_.push_back(&into);
}

void OptionSet::texts(const char* names, std::vector<std::string>& into, const std::string& help,
                      const char* type) {
  // One value per flag: `--load-inputs in.npz model.onnx` must not take the model as an input.
  app_.add_option(names, into, help)->type_name(type)->allow_extra_args(false);
  lists_.push_back(&into);
}

void OptionSet::required_texts(const char* names, std::vector<std::string>& into,
                               const std::string& help) {
  app_.add_option(names, into, help)->required()->type_name("");
  lists_.push_back(&into);
}

void OptionSet::pairs(const char* names, std::vector<std::pair<std::string, std::string>>& into,
                      const std::string& help, const char* type) {
  app_.add_option(names, into, help)->type_name(type)->allow_extra_args(false);
}

void OptionSet::integer(const char* names, int& into, const std::string& help, int least,
                        int most) {
  app_.add_option(names, into, help)
      ->type_name("N")
      ->check(whole_number(least, most))
      ->capture_default_str();
}

void OptionSet::integer(const char* names, std::int64_t& into, const std::string& help,
                        std::int64_t least, std::int64_t most) {
  app_.add_option(names, into, help)
      ->type_name("N")
      ->check(whole_number(least, most))
      ->capture_default_str();
}

void OptionSet::integers(const char* names, std::vector<int>& into, const std::string& help,
                         int least, int most) {
  app_.add_option(names, into, help)
      ->type_name("N")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(whole_number(least, most));
}

void OptionSet::reals(const char* names, std::vector<double>& into, const std::string& help) {
  app_.add_option(names, into, help)
      ->type_name("X")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(check_real);
}

void OptionSet::seed(const char* names, std::uint64_t& into, const std::string& help) {
  app_.add_option(names, into, help)->type_name("N")->check(check_seed)->capture_default_str();
}

void OptionSet::seed(const char* names, std::optional<std::uint64_t>& into,
                     const std::string& help) {
  app_.add_option(names, into, help)->type_name("N")->check(check_seed);
}

void OptionSet::real(const char* names, double& into, const std::string& help) {
  app_.add_option(names, into, help)->type_name("X")->check(check_real)->capture_default_str();
}

void OptionSet::real(const char* names, std::optional<double>& into, const std::string& help) {
  app_.add_option(names, into, help)->type_name("X")->check(check_real);
}

void OptionSet::flag(const char* names, bool& into, const std::string& help) {
  app_.add_flag(names, into, help);
}

void OptionSet::output(const char* names, std::string& into, const std::string& help,
                       bool may_be_folder) {
  CLI::Option* option = app_.add_option(names, into, help);
  option->type_name("FILE");
  if (!into.empty()) option->capture_default_str();
  if (outputs_.empty())
    app_.add_flag("--force", *force_,
                  "Write also over a model, a profile cache, or a file that is read");
  outputs_.push_back({names, &into, may_be_folder});
}

void OptionSet::cache(const char* names, std::string& into, const std::string& help) {
  text(names, into, help, "FILE");
  caches_.push_back({names, &into, false});
}

void OptionSet::json(JsonOutput& into, const std::string& help, IsJsonFile is_file) {
  is_json_file_ = is_file;
  output("--json", into.file,
         help + " instead of text; with a FILE, write it there beside the text");
  app_.get_option("--json")->type_name("[FILE]");
}

bool OptionSet::takes_json_file(std::string_view word) const {
  return is_json_file_ != nullptr && is_json_file_(word);
}

std::vector<std::string> OptionSet::named_files() const {
  std::vector<std::string> files;
  const auto add = [&](const std::string& text) {
    files.push_back(text);
    // NAME:FILE
    if (const std::size_t colon = text.find(':'); colon != std::string::npos)
      files.push_back(text.substr(colon + 1));
  };
  for (const std::string* text : texts_) add(*text);
  for (const auto* list : lists_)
    for (const std::string& text : *list) add(text);
  return files;
}

void OptionSet::excludes(const char* first, const char* second, const char* reason) {
  exclusions_.push_back({first, second, reason});
}

bool OptionSet::is_given(const std::string& name) const {
  const CLI::Option* option = app_.get_option_no_throw(name);
  return option != nullptr && option->count() > 0;
}

bool OptionSet::is_for_outputs(const std::string& name) const {
  return name == "--force" || std::ranges::any_of(outputs_, [&](const Output& output) {
           return app_.get_option(name)->check_name(output.names.substr(0, output.names.find(',')));
         });
}

std::vector<std::string> OptionSet::words_for(const std::string& command) const {
  const CLI::App* other = app_.get_parent()->get_subcommand(command);
  std::vector<std::string> words;
  for (const CLI::Option* option : std::as_const(app_).get_options()) {
    const std::string name = long_name(*option);
    if (name.empty() || option->get_positional() || option->get_type_size() > 1 ||
        is_for_outputs(name))
      continue;
    const CLI::Option* same = other->get_option_no_throw(name);
    if (same == nullptr || !mean_the_same(*option, *same)) continue;
    for (const std::string& value : option->results()) words.push_back(word_of(*option, value));
  }
  return words;
}

void OptionSet::check() const {
  for (const Exclusion& row : exclusions_)
    if (is_given(row.first) && is_given(row.second))
      raise(ErrorKind::Usage,
            fmt::format("{} and {} exclude each other: {}", row.first, row.second, row.reason));
  check_outputs();
}

std::vector<Target> OptionSet::targets(const std::vector<Output>& outputs) {
  std::vector<Target> targets;
  for (const Output& output : outputs)
    if (!output.file->empty())
      targets.push_back(
          {output.names.substr(0, output.names.find(',')), *output.file, output.may_be_folder});
  return targets;
}

void OptionSet::check_outputs() const {
  const std::vector<Target> outputs = targets(outputs_);
  std::vector<Target> all = targets(caches_);
  for (const Target& cache : all) check_is_cache(cache.flag, cache.file);
  all.insert(all.end(), outputs.begin(), outputs.end());
  check_apart(all);
  for (const Target& output : outputs) {
    if (output.file == "-") continue;
    if (!*force_) refuse_to_overwrite(output.flag, output.file, named_files());
    check_writable(output.flag, output.file, output.may_be_folder);
  }
}

}  // namespace braid::cli
