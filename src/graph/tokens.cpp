#include "graph/tokens.h"

#include <charconv>

#include <fmt/format.h>

#include "base/error.h"

namespace braid {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

template <class Belongs>
std::string Lexer::take(Belongs belongs) {
  const std::size_t start = at_;
  while (at_ < text_.size() && belongs(text_[at_])) ++at_;
  return std::string(text_.substr(start, at_ - start));
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    if (text_[at_] == '#') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r') {
      ++at_;
    } else {
      return;
    }
  }
}

void Lexer::advance_line() {
  ++at_;
  ++line_;
  line_start_ = at_;
}

std::string Lexer::quoted_text(const Token& token) {
  std::string out;
  ++at_;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
    char c = text_[at_++];
    if (c == '\\' && at_ < text_.size()) {
      c = text_[at_++];
      if (c == 'n') c = '\n';
      if (c == 'x' && at_ + 2 <= text_.size()) {
        unsigned code = 0;
        std::from_chars(text_.data() + at_, text_.data() + at_ + 2, code, 16);
        c = static_cast<char>(code);
        at_ += 2;
      }
    }
    out += c;
  }
  if (at_ == text_.size() || text_[at_] != '"')
    raise(ErrorKind::Model, fmt::format("line {}, column {}: the quoted name does not end",
                                        token.line, token.column));
  ++at_;
  return out;
}

Token Lexer::next() {
  skip_blanks();
  Token token{Token::End, {}, line_, at_ - line_start_ + 1};
  if (at_ == text_.size()) return token;
  const char c = text_[at_];
  if (c == '\n') {
    token.kind = Token::EndOfLine;
    token.text = "end of line";
    advance_line();
  } else if (c == '"') {
    token.kind = Token::Text;
    token.text = quoted_text(token);
  } else if (is_word_start(c)) {
    token.kind = Token::Word;
    token.text =
        take([](char x) { return is_word_start(x) || is_digit(x) || x == '.' || x == '/'; });
  } else if (is_digit(c) || ((c == '-' || c == '+') && at_ + 1 < text_.size() &&
                             (is_digit(text_[at_ + 1]) || text_[at_ + 1] == 'i'))) {
    token.kind = Token::Number;
    token.text = c;
    ++at_;
    token.text += take([&](char x) {
      return is_digit(x) || is_word_start(x) || x == '.' || x == '-' || x == '+';
    });
  } else {
    token.kind = Token::Symbol;
    token.text = c;
    ++at_;
  }
  return token;
}

}  // namespace braid
