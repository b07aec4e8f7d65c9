#include "cli/option_set.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <type_traits>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/list_values.h"
#include "cli/list_words.h"

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

std::vector<std::string> dashed(std::string_view names) {
  std::vector<std::string> all = comma_separated(names);
  for (std::string& name : all)
    if (name.starts_with('!')) name.erase(0, 1);
  return all;
}

bool may_be(const OptionRow& argument, const std::string& word) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(word, ignored);
  if (argument.title() == "DIR") return is_folder;
  if (argument.title() == "MODEL" && (is_folder || holds_tensors(word))) return false;
  return std::filesystem::exists(word, ignored);
}

bool is_model(std::string_view word) {
  return word.starts_with("zoo:") || has_ending_of_model(std::filesystem::path(word));
}

}  // namespace

OptionSet::OptionSet(CLI::App& app) : app_(app) {
  rows_.push_back({.names = {"-h", "--help"},
                   .section = Section::Print,
                   .help = "Print this help message and exit"});
}

OptionRow& OptionSet::add_row(const char* names, Takes takes, const std::string& type,
                              const std::string& help) {
  rows_.push_back(
      {.names = dashed(names), .section = section_, .takes = takes, .type = type, .help = help});
  return rows_.back();
}

void OptionSet::text(const char* names, std::string& into, const std::string& help,
                     const char* type) {
  app_.add_option(names, into, help)->type_name(type);
  add_row(names, Takes::Value, type, help).usual = into;
  texts_.push_back(&into);
}

void OptionSet::required_text(const char* names, std::string& into, const std::string& help) {
  app_.add_option(names, into, help)->required()->type_name("");
  add_row(names, Takes::Value, "", help).required = true;
  texts_.push_back(&into);
}

void OptionSet::list(const char* names, std::vector<std::string>& into, const std::string& help,
                     ListOf kind, const char* type, const std::string& usual) {
  app_.add_option(names, into, help)->type_name(type)->allow_extra_args(false);
  OptionRow& row = add_row(names, Takes::List, type, help);
  row.usual = usual;
  lists_.push_back({row.title(), &into, kind});
}

void OptionSet::required_texts(const char* names, std::vector<std::string>& into,
                               const std::string& help) {
  app_.add_option(names, into, help)->required()->type_name("");
  add_row(names, Takes::List, "", help).required = true;
  arguments_.push_back(&into);
}

template <class Number>
void OptionSet::number(const char* names, Number& into, const std::string& help, const char* type,
                       const std::function<std::string(const std::string&)>& check) {
  app_.add_option(names, into, help)->type_name(type)->check(check);
  OptionRow& row = add_row(names, Takes::Value, type, help);
  // What 0 stands for is in the help.
  if constexpr (std::is_arithmetic_v<Number>)
    if (into != 0) row.usual = fmt::format("{}", into);
}

void OptionSet::integer(const char* names, int& into, const std::string& help, int least,
                        int most) {
  number(names, into, help, "N", whole_number(least, most));
}

void OptionSet::integer(const char* names, std::int64_t& into, const std::string& help,
                        std::int64_t least, std::int64_t most) {
  number(names, into, help, "N", whole_number(least, most));
}

template <class Number>
void OptionSet::numbers(const char* names, std::vector<Number>& into, const std::string& help,
                        const char* type,
                        const std::function<std::string(const std::string&)>& check) {
  app_.add_option(names, into, help)
      ->type_name(type)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(check);
  add_row(names, Takes::List, type, help);
}

void OptionSet::integers(const char* names, std::vector<int>& into, const std::string& help,
                         int least, int most) {
  numbers(names, into, help, "N", whole_number(least, most));
}

void OptionSet::reals(const char* names, std::vector<double>& into, const std::string& help) {
  numbers(names, into, help, "X", check_real);
}

void OptionSet::seed(const char* names, std::uint64_t& into, const std::string& help) {
  number(names, into, help, "N", check_seed);
}

void OptionSet::seed(const char* names, std::optional<std::uint64_t>& into,
                     const std::string& help) {
  number(names, into, help, "N", check_seed);
}

void OptionSet::real(const char* names, double& into, const std::string& help) {
  number(names, into, help, "X", check_real);
}

void OptionSet::real(const char* names, std::optional<double>& into, const std::string& help) {
  number(names, into, help, "X", check_real);
}

void OptionSet::flag(const char* names, bool& into, const std::string& help) {
  app_.add_flag(names, into, help);
  add_row(names, Takes::Nothing, "", help);
}

void OptionSet::output(const char* names, std::string& into, const std::string& help,
                       bool may_be_folder) {
  app_.add_option(names, into, help)->type_name("FILE");
  const Section before = std::exchange(section_, Section::Print);
  add_row(names, Takes::Value, "FILE", help).usual = into;
  if (outputs_.empty())
    flag("--force", *force_, "Write also over a model, a profile cache, or a file that is read");
  section_ = before;
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
  OptionRow& row = *find_row("--json");
  row.takes = Takes::MaybeFile;
  row.type = "[FILE]";
}

OptionRow* OptionSet::find_row(std::string_view name) {
  const auto found =
      std::ranges::find_if(rows_, [&](const OptionRow& row) { return row.is_called(name); });
  return found == rows_.end() ? nullptr : &*found;
}

std::vector<std::string> OptionSet::prepared(const std::vector<std::string>& words) {
  PreparedWords prepared = with_repeated_options(
      words, rows_, {.is_model = is_model, .is_json_file = is_json_file_, .fits = may_be});
  hint_ = std::move(prepared.hint);
  return std::move(prepared.words);
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
  for (const List& list : lists_)
    for (const std::string& text : *list.values) add(text);
  for (const auto* words : arguments_)
    for (const std::string& text : *words) add(text);
  return files;
}

void OptionSet::excludes(const char* first, const char* second, const std::string& reason) {
  OptionRow* row = find_row(first);
  if (row == nullptr || find_row(second) == nullptr) return;
  row->conditions.push_back(fmt::format("not with {}", second));
  exclusions_.push_back({first, second, reason});
}

void OptionSet::needs(const char* option, const std::vector<std::string>& others,
                      const std::string& reason) {
  if (OptionRow* row = find_row(option))
    row->conditions.push_back(fmt::format("needs {}", fmt::join(others, " or ")));
  needs_.push_back({option, others, reason});
}

void OptionSet::idle(const char* option, std::function<std::string()> why) {
  idle_.push_back({option, std::move(why)});
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
    if (name.empty() || option->get_positional() || is_for_outputs(name)) continue;
    const CLI::Option* same = other->get_option_no_throw(name);
    if (same == nullptr || !mean_the_same(*option, *same)) continue;
    for (const std::string& value : option->results()) words.push_back(word_of(*option, value));
  }
  return words;
}

void OptionSet::settle() {
  for (const List& list : lists_) *list.values = list_values(*list.values, list.kind, list.title);
  check_conditions();
  check_outputs();
  if (!hint_.empty()) fmt::print(stderr, "braid: note: {}\n", hint_);
  for (const Idle& row : idle_) {
    const std::string why = is_given(row.option) ? row.why() : "";
    if (!why.empty())
      fmt::print(stderr, "braid: note: {} changes nothing here: {}\n", row.option, why);
  }
}

void OptionSet::check_conditions() const {
  for (const Exclusion& row : exclusions_)
    if (is_given(row.first) && is_given(row.second))
      raise(ErrorKind::Usage,
            fmt::format("{} and {} exclude each other: {}", row.first, row.second, row.reason));
  const auto given = [&](const std::string& name) { return is_given(name); };
  for (const Need& row : needs_)
    if (is_given(row.option) && std::ranges::none_of(row.others, given))
      raise(ErrorKind::Usage,
            fmt::format("{} needs {}: {}", row.option, fmt::join(row.others, " or "), row.reason));
  if (*force_ &&
      std::ranges::none_of(outputs_, [](const Output& row) { return !row.file->empty(); }))
    raise(ErrorKind::Usage, "--force needs a file to write, and no option names one");
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
