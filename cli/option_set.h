#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/json_output.h"
#include "cli/output_path.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 calls it so
class App;
}

namespace braid::cli {

/// The options of a subcommand, bound to variables. Names are separated by commas; one without
/// dashes is positional. Numbers and texts that are not empty show their value at the time of
/// adding as the default. CLI11 is kept behind it to save compile time: only option_set.cpp and
/// main.cpp include that.
class OptionSet {
 public:
  explicit OptionSet(CLI::App& app) : app_(app) {}

  void text(const char* names, std::string& into, const std::string& help,
            const char* type = "TEXT");
  void required_text(const char* names, std::string& into, const std::string& help);
  void texts(const char* names, std::vector<std::string>& into, const std::string& help,
             const char* type = "TEXT");
  void required_texts(const char* names, std::vector<std::string>& into, const std::string& help);
  /// Two values per flag; the flag may come again.
  void pairs(const char* names, std::vector<std::pair<std::string, std::string>>& into,
             const std::string& help, const char* type);
  void integer(const char* names, int& into, const std::string& help, int least, int most);
  void integer(const char* names, std::int64_t& into, const std::string& help, std::int64_t least,
               std::int64_t most);
  /// Several of each, separated by commas; the option may come again.
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
  /// Whether this word behind --json is the file to write.
  bool takes_json_file(std::string_view word) const;

  /// The two may not be given together; an option that this command lacks is never given.
  void excludes(const char* first, const char* second, const char* reason);

  /// Once the options are read: throws Usage if two exclude each other, if two write one file, if
  /// an output cannot be written, or if it would overwrite a model, a profile cache or a file that
  /// another option names, unless --force was given. So nothing is measured for a result that has
  /// nowhere to go.
  void check() const;

  /// Words that give another command the options of this command line that mean the same there:
  /// those with the same names and the same help. Without arguments, outputs and --force. Options
  /// of several values each are none of them.
  std::vector<std::string> words_for(const std::string& command) const;

 private:
  struct Output {
    std::string names;
    const std::string* file;
    bool may_be_folder;
  };

  std::vector<std::string> named_files() const;

  CLI::App& app_;
  struct Exclusion {
    std::string first;
    std::string second;
    std::string reason;
  };

  bool is_given(const std::string& name) const;
  bool is_for_outputs(const std::string& name) const;
  void check_outputs() const;
  static std::vector<Target> targets(const std::vector<Output>& outputs);  // those that were given

  std::vector<Output> outputs_;
  std::vector<Output> caches_;
  std::vector<Exclusion> exclusions_;
  std::vector<const std::string*> texts_;
  std::vector<const std::vector<std::string>*> lists_;
  IsJsonFile is_json_file_ = nullptr;
  std::unique_ptr<bool> force_ = std::make_unique<bool>(false);
};

}  // namespace braid::cli
