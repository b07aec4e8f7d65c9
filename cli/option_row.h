#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace braid::cli {

/// Where --help shows an option.
enum class Section { What, How, Print };

/// What stands behind an option.
enum class Takes {
  Nothing,
  Value,
  List,      ///< values in several words, between commas, or behind the option given again
  MaybeFile  ///< --json [FILE]
};

/// What the values of a list are: which commas part them, and which of them may not come twice.
enum class ListOf {
  Names,
  Files,       ///< a comma may be part of a file's name
  NamedFiles,  ///< [NAME:]FILE, one for each name
  Bindings     ///< NAME=VALUE, NAME:VALUE or NAME:[A,B], one for each name
};

/// An option or argument of a command, as its help shows it and its words are read.
struct OptionRow {
  std::vector<std::string> names = {};  ///< with their dashes; those of an argument have none
  Section section = Section::What;
  Takes takes = Takes::Nothing;
  std::string type = {};   ///< of its value: "N", "NAME=SIZE"
  std::string usual = {};  ///< the value that it has by default, if that is worth telling
  std::string help = {};
  bool required = false;
  std::vector<std::string> conditions = {};  ///< "needs --against", a sentence each

  /// Whether it is read without its name: MODEL.
  bool is_argument() const { return !names[0].starts_with('-'); }
  bool is_called(std::string_view name) const;
  /// The name that messages call it by: the first long one, or that of the argument.
  const std::string& title() const;
};

}  // namespace braid::cli
