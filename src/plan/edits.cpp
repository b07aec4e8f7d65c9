#include "plan/edits.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/text.h"

namespace braid {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostEdits = 10'000;
constexpr std::size_t kMostPatternBytes = 256;

const std::array<std::string, 3> kVerbs = {"pin", "before", "never-parallel"};
constexpr const char* kForms =
    "write `pin NODE stream N`, `before NODE NODE` or `never-parallel NODE NODE`";

struct Word {
  std::string text;
  bool quoted = false;
};

class LineReader {
 public:
  LineReader(std::string_view text, int line) : rest_(text), written_(text), line_(line) {}

  /// The edit of the line; nothing if it has only blanks and comments.
  std::optional<PlanEdit> read() {
    std::vector<Word> words;
    while (auto word = next()) words.push_back(std::move(*word));
    if (words.empty()) return std::nullopt;
    PlanEdit edit;
    edit.line = line_;
    edit.written = std::string(written_);
    const auto verb = std::find(kVerbs.begin(), kVerbs.end(), words[0].text);
    if (verb == kVerbs.end() || words[0].quoted) fail_verb(words[0].text);
    edit.kind = static_cast<EditKind>(verb - kVerbs.begin());
    if (edit.kind == EditKind::Pin) {
      if (words.size() != 4 || words[2].text != "stream") fail("a pin reads `pin NODE stream N`");
      edit.stream = stream(words[3].text);
    } else {
      if (words.size() != 3)
        fail(fmt::format("`{}` takes two names, here are {}; quote names that contain blanks",
                         *verb, words.size() - 1));
      edit.b = pattern(words[2]);
    }
    edit.a = pattern(words[1]);
    return edit;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    raise(ErrorKind::Model, fmt::format("edits line {}: {}", line_, problem));
  }

  [[noreturn]] void fail_verb(const std::string& word) const {
    const std::string meant = nearest(word, kVerbs);
    fail(fmt::format("{} is no edit{}; {}", quote(word),
                     meant.empty() ? "" : fmt::format(" (is it `{}`?)", meant), kForms));
  }

  std::optional<Word> next() {
    const std::size_t begin = rest_.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || rest_[begin] == '#') return std::nullopt;
    rest_.remove_prefix(begin);
    if (rest_[0] == '"') return quoted();
    const std::size_t end = std::min(rest_.find_first_of(" \t\r"), rest_.size());
    Word word{std::string(rest_.substr(0, end))};
    rest_.remove_prefix(end);
    return word;
  }

  Word quoted() {
    Word word{{}, true};
    std::size_t i = 1;
    for (; i < rest_.size() && rest_[i] != '"'; ++i) {
      const bool escaped =
          rest_[i] == '\\' && i + 1 < rest_.size() && (rest_[i + 1] == '"' || rest_[i + 1] == '\\');
      if (escaped) ++i;
      word.text += rest_[i];
    }
    if (i >= rest_.size()) fail("a name in quotes does not end");
    rest_.remove_prefix(i + 1);
    return word;
  }

  int stream(const std::string& text) const {
    int number = -1;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size() || number < 0)
      fail(fmt::format("{} is no stream; streams are numbered from 0", quote(text)));
    return number;
  }

  NodePattern pattern(const Word& word) const {
    if (word.text.empty()) fail("a name is empty");
    const bool glob = !word.quoted && word.text.find_first_of("*?") != std::string::npos;
    if (glob && word.text.size() > kMostPatternBytes)
      fail(fmt::format("a pattern has more than {} bytes", kMostPatternBytes));
    return {word.text, glob};
  }

  std::string_view rest_;
  std::string_view written_;
  int line_;
};

}  // namespace

std::vector<PlanEdit> parse_edits(std::string_view text) {
  if (text.size() > kMostBytes)
    raise(ErrorKind::Quota, fmt::format("the edits have {} bytes, more than {}; patterns such as "
                                        "`pin /head/* stream 1` name many nodes at once",
                                        text.size(), kMostBytes));
  std::vector<PlanEdit> edits;
  int line = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto edit = LineReader(text.substr(0, end), ++line).read()) edits.push_back(*edit);
    if (edits.size() > kMostEdits)
      raise(ErrorKind::Quota, fmt::format("there are more than {} edits; patterns such as `pin "
                                          "/head/* stream 1` name many nodes at once",
                                          kMostEdits));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return edits;
}

}  // namespace braid
