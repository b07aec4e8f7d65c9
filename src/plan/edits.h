#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace braid {

/// Nodes by name: one name as it is, or all names that match if `glob` (`*` any characters, `?` one
/// character).
struct NodePattern {
  std::string text;
  bool glob = false;

  bool operator==(const NodePattern&) const = default;
};

enum class EditKind {
  Pin,           ///< the nodes run on one stream, uncut
  Before,        ///< all of `a` have ended before any of `b` begins
  NeverParallel  ///< none of `a` runs beside one of `b`
};

/// A demand on every Plan, made by a person: a line of an edits file.
struct PlanEdit {
  EditKind kind = EditKind::Pin;
  NodePattern a;
  NodePattern b;        ///< empty for Pin
  int stream = -1;      ///< of Pin
  int line = 0;         ///< in the file, from 1
  std::string written;  ///< the line

  bool operator==(const PlanEdit&) const = default;
};

/// Reads an edits file. One edit a line:
///
///     # the tail of the network
///     pin /head/* stream 1
///     before conv_a conv_b
///     never-parallel big_gemm "a name with blanks"
///
/// Names are separated by blanks. In double quotes everything but `\"` and `\\` stands for itself;
/// outside them `*` and `?` match. Throws Model, naming the line, for what is no edit, and Quota
/// for more than 1 MiB or 10,000 edits.
std::vector<PlanEdit> parse_edits(std::string_view text);

}  // namespace braid
