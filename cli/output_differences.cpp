#include "cli/output_differences.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace braid::cli {
namespace {

constexpr double kTolerated = 10;  ///< times the usual tolerance

PairDifference compare_pair(const ContenderOutputs& contender, const ContenderOutputs& reference,
                            std::size_t number, const std::string& output) {
  const Tensor& ours = contender.outputs[number];
  const Tensor& theirs = reference.outputs[number];
  PairDifference pair{contender.contender, reference.contender, output};
  if (ours.dims() == theirs.dims())
    pair.found = compare_output(ours, theirs, {}, kTolerated);
  else
    pair.why_not = fmt::format("{} of {}, {} of {}", to_string(ours.type()), contender.contender,
                               to_string(theirs.type()), reference.contender);
  return pair;
}

PairDifference farthest(const ContenderOutputs& contender, const ContenderOutputs& reference,
                        const std::vector<std::string>& output_names) {
  PairDifference worst{contender.contender, reference.contender, output_names.at(0)};
  const std::size_t given = contender.outputs.size();
  const std::size_t expected = reference.outputs.size();
  for (std::size_t i = 0; i < std::min({given, expected, output_names.size()}); ++i) {
    PairDifference pair = compare_pair(contender, reference, i, output_names[i]);
    if (i == 0 || pair.excess() > worst.excess()) worst = std::move(pair);
  }
  if (given != expected)
    worst.why_not = fmt::format("one of {} of {}, one of {} of {}", given, contender.contender,
                                expected, reference.contender);
  return worst;
}

std::string amount(const PairDifference& pair) {
  if (!pair.why_not.empty())
    return fmt::format("the output {} is {}", quote(pair.output), pair.why_not);
  const std::string mismatch = mismatch_text(*pair.found);
  if (std::isinf(pair.excess()))
    return fmt::format("in the output {}: {}", quote(pair.output), mismatch);
  return fmt::format("by {:.3g} in the output {}, {:.2g} of its largest element: {}",
                     pair.found->difference.max_abs, quote(pair.output),
                     pair.found->difference.max_rel(), mismatch);
}

/// The contender that differs from all others, if these agree and are several.
std::string lone_contender(const std::vector<PairDifference>& pairs,
                           const std::vector<PairDifference>& differing) {
  std::set<std::string> contenders;
  for (const PairDifference& pair : pairs) contenders.insert({pair.contender, pair.reference});
  if (contenders.size() < 3 || differing.size() != contenders.size() - 1) return {};
  for (const std::string& one : contenders)
    if (std::ranges::all_of(differing, [&](const PairDifference& pair) {
          return pair.contender == one || pair.reference == one;
        }))
      return one;
  return {};
}

}  // namespace

double PairDifference::excess() const {
  return found && why_not.empty() ? found->excess() : std::numeric_limits<double>::infinity();
}

Agreement agreement(const PairDifference& pair) {
  if (pair.excess() <= 1) return Agreement::Agrees;
  return pair.excess() <= kTolerated ? Agreement::Tolerated : Agreement::Differs;
}

std::string_view name(Agreement agreement) {
  if (agreement == Agreement::Agrees) return "agrees";
  return agreement == Agreement::Tolerated ? "tolerated" : "DIFFERS";
}

std::vector<PairDifference> compare_pairs(const std::vector<ContenderOutputs>& contenders,
                                          const std::vector<std::string>& output_names) {
  std::vector<PairDifference> pairs;
  for (std::size_t i = 0; i < contenders.size(); ++i)
    for (std::size_t k = i + 1; k < contenders.size(); ++k)
      pairs.push_back(farthest(contenders[k], contenders[i], output_names));
  return pairs;
}

std::vector<std::string> difference_sentences(const std::vector<PairDifference>& pairs) {
  std::vector<PairDifference> differing;
  for (const PairDifference& pair : pairs)
    if (agreement(pair) == Agreement::Differs) differing.push_back(pair);
  if (const std::string lone = lone_contender(pairs, differing); !lone.empty()) {
    std::vector<std::string> others;
    for (const PairDifference& pair : differing)
      others.push_back(pair.contender == lone ? pair.reference : pair.contender);
    return {fmt::format("{} differs from {}, which agree: {}", lone, fmt::join(others, " and "),
                        amount(*std::ranges::max_element(differing, {}, &PairDifference::excess)))};
  }
  std::vector<std::string> sentences;
  for (const PairDifference& pair : differing)
    sentences.push_back(
        fmt::format("{} differs from {}: {}", pair.contender, pair.reference, amount(pair)));
  return sentences;
}

}  // namespace braid::cli
