#include "cli/list_words.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid::cli {
namespace {

bool is_option(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

class Reader {
 public:
  Reader(const std::vector<std::string>& words, std::span<const OptionRow> rows,
         const WordRules& rules)
      : words_(words), rows_(rows), rules_(rules) {}

  PreparedWords read() {
    while (next_ < words_.size() && words_[next_] != "--") {
      const std::string& word = words_[next_++];
      if (is_option(word))
        read_option(word);
      else
        read_value(word);
    }
    find_missing_arguments();
    out_.insert(out_.end(), words_.begin() + static_cast<std::ptrdiff_t>(next_), words_.end());
    return {std::move(out_), std::move(hint_)};
  }

 private:
  const OptionRow* row_of(std::string_view word) const {
    const auto found =
        std::ranges::find_if(rows_, [&](const OptionRow& row) { return row.is_called(word); });
    return found == rows_.end() ? nullptr : &*found;
  }

  bool has_value_next() const { return next_ < words_.size() && !is_option(words_[next_]); }

  void read_option(const std::string& word) {
    list_ = nullptr;
    const OptionRow* row = row_of(word);
    if (const std::size_t sign = word.find('='); sign != std::string::npos)
      if (const OptionRow* named = row_of(word.substr(0, sign)); named && named->is_argument())
        ++arguments_;
    if (row == nullptr || row->takes == Takes::Nothing || row->is_argument()) {
      out_.push_back(word);
      return;
    }
    if (row->takes == Takes::MaybeFile) {
      read_json(word);
      return;
    }
    if (row->takes == Takes::List) begin_list(*row, word);
    out_.push_back(word);
    if (has_value_next()) out_.push_back(words_[next_++]);
  }

  void read_json(const std::string& word) {
    const bool has_next = next_ < words_.size();
    if (has_next && arguments_ > 0 && rules_.is_model(words_[next_]))
      hint_ = fmt::format(
          "{0} prints here, since a model stands behind it, which is read and never written; "
          "{0}=FILE.json writes a file, and {0} behind {1} prints",
          word, quote(words_[next_]));
    const bool given = has_next && rules_.is_json_file(words_[next_]);
    out_.push_back(word + "=" + (given ? words_[next_++] : "-"));
  }

  void begin_list(const OptionRow& row, const std::string& word) {
    if (has_value_next() && rules_.is_model(words_[next_]))
      raise(ErrorKind::Usage, fmt::format("{} needs a value, {}, before the model {}", word,
                                          row.type, quote(words_[next_])));
    list_ = &row;
  }

  void read_value(const std::string& word) {
    if (list_ == nullptr || rules_.is_model(word)) {
      list_ = nullptr;
      ++arguments_;
    } else {
      out_.push_back(list_->title());
      further_values_.push_back(out_.size());
    }
    out_.push_back(word);
  }

  /// The last words of a list are the arguments that are missing, if they may be those.
  void find_missing_arguments() {
    std::vector<const OptionRow*> missing;
    for (const OptionRow& row : rows_)
      if (row.is_argument() && row.required) missing.push_back(&row);
    const std::size_t behind = words_.size() - std::min(words_.size(), next_ + 1);
    missing.erase(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                         missing.size(), arguments_ + behind)));
    for (auto at = further_values_.rbegin(); at != further_values_.rend(); ++at) {
      const auto value = out_.begin() + static_cast<std::ptrdiff_t>(*at);
      const bool ends_list = value + 1 == out_.end() || value[1] != value[-1];
      if (missing.empty() || !ends_list || !rules_.fits(*missing.back(), *value)) continue;
      out_.erase(value - 1);
      missing.pop_back();
    }
  }

  const std::vector<std::string>& words_;
  std::span<const OptionRow> rows_;
  const WordRules& rules_;
  std::size_t next_ = 0;
  const OptionRow* list_ = nullptr;  ///< the list that the next word may belong to
  std::size_t arguments_ = 0;
  std::vector<std::string> out_;
  std::string hint_;
  std::vector<std::size_t> further_values_;  ///< where in it the later values of lists stand
};

}  // namespace

PreparedWords with_repeated_options(const std::vector<std::string>& words,
                                    std::span<const OptionRow> rows, const WordRules& rules) {
  return Reader(words, rows, rules).read();
}

}  // namespace braid::cli
