#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/json_output.h"
#include "cli/option_row.h"
#include "cli/output_path.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 calls it so
class App;
}

namespace braid::cli {

/// The options of a subcommand, bound to variables. Names are separated by commas; one without
/// dashes is positional. Numbers and texts that are not empty show their value at the time of
/// adding as the default. CLI11 is kept behind it to save compile time: only option_set.cpp,
/// usage_message.cpp and main.cpp include that.
class OptionSet {
 public:
  explicit OptionSet(CLI::App& app);

  /// Where --help shows the options that are added from now on; outputs are shown under *Print*.
  void section(Section section) { section_ = section; }

  void text(const char* names, std::string& into, const std::string& help,
            const char* type = "TEXT");
  void required_text(const char* names, std::string& into, const std::string& help);
  /// Takes several words, values between commas, and the option given again. `usual` is what a
  /// list that is not given stands for.
  void list(const char* names, std::vector<std::string>& into, const std::string& help, ListOf kind,
            const char* type, const std::string& usual = {});
  void required_texts(const char* names, std::vector<std::string>& into, const std::string& help);
  void integer(const char* names, int& into, const std::string& help, int least, int most);
  void integer(const char* names, std::int64_t& into, const std::string& help, std::int64_t least,
               std::int64_t most);
  /// Lists of numbers.
  void integers(const char* names, std::vector<int>& into, const std::string& help, int least,
                int most);
  void reals(const char* names, std::vector<double>& into, const std::string& help);
  void seed(const char* names, std::uint64_t& into, const std::string& help);
  /// Leaves `into` empty unless the option is given.
  void seed(const char* names, std::optional<std::uint64_t>& into, const std::string& help);
  /// Seconds, shares and tolerances: none is negative.
  void real(const char* names, double& into, const std::string& help);
  void real(const char* names, std::optional<double>& into, const std::string& help);
  void flag(const char* names, bool& into, const std::string& help);
  /// A file, or with `may_be_folder` also a folder, that the command writes; "-" is standard
  /// output. Adds --force with the first of them.
  void output(const char* names, std::string& into, const std::string& help,
              bool may_be_folder = false);

  /// A profile cache: it is read and, by some commands, added to. What is there must be one.
  void cache(const char* names, std::string& into, const std::string& help);

  /// Adds --json [FILE].
  void json(JsonOutput& into, const std::string& help, IsJsonFile is_file = is_no_model);

  // Options that this command lacks are never given, in what follows.
  /// The two may not be given together.
  void excludes(const char* first, const char* second, const std::string& reason);
  /// The option is refused without one of the others, since it would change nothing.
  void needs(const char* option, const std::vector<std::string>& others, const std::string& reason);
  /// Tells on standard error that an option which was given changes nothing, if `why` says why; it
  /// is asked once the options are read.
  void idle(const char* option, std::function<std::string()> why);

  /// The words behind the command as CLI11 takes them: each value of a list behind its option.
  std::vector<std::string> prepared(const std::vector<std::string>& words);
  /// What may not have been meant by them, in a sentence; settle() tells it, too.
  const std::string& hint() const { return hint_; }

  /// Once the options are read: parts lists, and throws Usage if a name has two values, if an
  /// option needs another or two exclude each other, if two write one file, if an output cannot be
  /// written, or if it would overwrite a model, a profile cache or a file that another option
  /// names, unless --force was given. So nothing is measured for a result that has nowhere to go.
  /// Tells which options change nothing.
  void settle();

  const std::vector<OptionRow>& rows() const { return rows_; }

  /// Words that give another command the options of this command line that mean the same there:
  /// those with the same names and the same help. Without arguments, outputs and --force.
  std::vector<std::string> words_for(const std::string& command) const;

 private:
  struct Output {
    std::string names;
    const std::string* file;
    bool may_be_folder;
  };

  struct List {
    std::string title;
    std::vector<std::string>* values;
    ListOf kind;
  };
  struct Exclusion {
    std::string first;
    std::string second;
    std::string reason;
  };
  struct Need {
    std::string option;
    std::vector<std::string> others;
    std::string reason;
  };
  struct Idle {
    std::string option;
    std::function<std::string()> why;
  };

  OptionRow& add_row(const char* names, Takes takes, const std::string& type,
                     const std::string& help);
  OptionRow* find_row(std::string_view name);
  template <class Number>
  void number(const char* names, Number& into, const std::string& help, const char* type,
              const std::function<std::string(const std::string&)>& check);
  template <class Number>
  void numbers(const char* names, std::vector<Number>& into, const std::string& help,
               const char* type, const std::function<std::string(const std::string&)>& check);
  std::vector<std::string> named_files() const;
  bool is_given(const std::string& name) const;
  bool is_for_outputs(const std::string& name) const;
  void check_conditions() const;
  void check_outputs() const;
  static std::vector<Target> targets(const std::vector<Output>& outputs);  // those that were given

  CLI::App& app_;
  Section section_ = Section::What;
  std::vector<OptionRow> rows_;
  std::vector<Output> outputs_;
  std::vector<Output> caches_;
  std::vector<Exclusion> exclusions_;
  std::vector<Need> needs_;
  std::vector<Idle> idle_;
  std::vector<const std::string*> texts_;
  std::vector<List> lists_;
  std::vector<const std::vector<std::string>*> arguments_;
  IsJsonFile is_json_file_ = is_dash;
  std::string hint_;
  std::unique_ptr<bool> force_ = std::make_unique<bool>(false);
};

}  // namespace braid::cli
