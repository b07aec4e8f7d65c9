#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace braid {

struct Token {
  enum Kind { Word, Text, Number, Symbol, EndOfLine, End } kind = End;
  std::string text;
  std::size_t line = 0;
  std::size_t column = 0;
};

/// The tokens of a graph's text form (graph/text.h), one after another. The text must outlive it.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  /// Throws Model if a quoted name does not end.
  Token next();

 private:
  template <class Belongs>
  std::string take(Belongs belongs);
  void skip_blanks();
  void advance_line();
  std::string quoted_text(const Token& token);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
};

}  // namespace braid
