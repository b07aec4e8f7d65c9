#pragma once

#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "graph/tokens.h"

namespace braid {

/// What a parser does with one token after the other: looks at `token_`, takes it, or throws Model,
/// saying where and what was expected.
class TokenReader {
 protected:
  explicit TokenReader(std::string_view text) : lexer_(text) { advance(); }

  [[noreturn]] void fail(std::string_view expected) const {
    const std::string got = token_.kind == Token::End ? "the end of the text" : quote(token_.text);
    raise(ErrorKind::Model, fmt::format("line {}, column {}: expected {}, got {}", token_.line,
                                        token_.column, expected, got));
  }

  void advance() { token_ = lexer_.next(); }
  bool at_symbol(char c) const { return token_.kind == Token::Symbol && token_.text[0] == c; }
  bool at_word(std::string_view word) const {
    return token_.kind == Token::Word && token_.text == word;
  }
  bool accept(char c) {
    if (!at_symbol(c)) return false;
    advance();
    return true;
  }
  bool accept_end_of_line() {
    if (token_.kind != Token::EndOfLine) return false;
    advance();
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}'", c));
  }
  std::string take_word(std::string_view what) {
    if (token_.kind != Token::Word && token_.kind != Token::Text) fail(what);
    std::string text = std::move(token_.text);
    advance();
    return text;
  }

  template <class T>
  T number() {
    T x{};
    const bool is_name = token_.kind == Token::Word;
    if (token_.kind != Token::Number && !is_name) fail("a number");
    const std::string& text = token_.text;
    if constexpr (std::is_floating_point_v<T>) {
      if (text == "inf" || text == "+inf")
        x = std::numeric_limits<T>::infinity();
      else if (text == "-inf")
        x = -std::numeric_limits<T>::infinity();
      else if (text == "nan")
        x = std::numeric_limits<T>::quiet_NaN();
      else
        convert(text, x);
    } else {
      convert(text, x);
    }
    advance();
    return x;
  }
  template <class T>
  void convert(const std::string& text, T& x) const {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (problem != std::errc() || end != text.data() + text.size()) fail("a number that fits");
  }

  template <class Item>
  void list(char close, Item item) {
    if (accept(close)) return;
    do item();
    while (accept(','));
    expect(close);
  }

  template <class T>
  T number_from(T least) {
    const T x = number<T>();
    if (x < least) fail(fmt::format("a number from {} on, not {}", least, x));
    return x;
  }

  Token token_;

 private:
  Lexer lexer_;
};

}  // namespace braid
