#include "cli/fresh_contest.h"

#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/output_file.h"
#include "base/text.h"
#include "cli/child_process.h"
#include "cli/contest_report.h"
#include "cli/temporary_folder.h"
#include "plan/json.h"

namespace braid::cli {
namespace {

namespace fs = std::filesystem;

fs::path write_plan(const fs::path& file, const Planned& planned) {
  write_file(file, to_json(planned.lowered(), planned.plan));
  return file;
}

std::vector<std::string> command_of(const FreshContestants& models,
                                    const std::vector<std::string>& options,
                                    const fs::path& folder) {
  std::vector<std::string> words = {"/proc/self/exe", "compare", "--time", "--json=-"};
  words.insert(words.end(), options.begin(), options.end());
  for (const fs::path& plan : {write_plan(folder / "before.json", models.before),
                               write_plan(folder / "after.json", models.after)})
    words.push_back("--load-plan=" + plan.string());
  words.insert(words.end(), {"--", models.given, models.written});
  return words;
}

/// All that it prints until it ends; none if the user interrupts us.
std::optional<std::string> output_of(ChildProcess& process, const Progress& progress) {
  constexpr double kSecondsBetweenReports = 0.1;
  std::string text;
  for (;;) {
    const ChildProcess::Received received = process.receive(kSecondsBetweenReports);
    switch (received.reply) {
      case ChildProcess::Reply::Line:
        text += received.line + "\n";
        break;
      case ChildProcess::Reply::Late:
        if (progress && !progress("timing again in a fresh process", 0, 0)) return std::nullopt;
        break;
      case ChildProcess::Reply::Interrupted:
        return std::nullopt;
      case ChildProcess::Reply::Ended:
        return text;
    }
  }
}

/// The message of the error with which it ended: the last that it told.
std::string message_in(const fs::path& error_file) {
  std::ifstream file(error_file);
  constexpr std::string_view kMark = "braid: ";
  std::string message;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(kMark)) message = ": " + printable(line.substr(kMark.size()), 400);
  return message;
}

FreshContest judged(const nlohmann::json& told) {
  FreshContest contest;
  contest.result = contest_from_json(told.at("time"));
  if (!told.at("equal").get<bool>())
    contest.why_not = "in a fresh process it gave other numbers";
  else if (!is_surely_faster(contest.result->ratio))
    contest.why_not =
        fmt::format("in a fresh process it was not surely faster: {}", in_words(*contest.result));
  return contest;
}

FreshContest run_contest(const FreshContestants& models, const std::vector<std::string>& options,
                         const Progress& progress) {
  const TemporaryFolder folder;
  const fs::path errors = folder.path() / "errors.txt";
  ChildProcess process(command_of(models, options, folder.path()), errors);
  const std::optional<std::string> text = output_of(process, progress);
  if (!text) return {.interrupted = true};
  const nlohmann::json told = nlohmann::json::parse(*text, nullptr, false);
  if (told.is_object() && told.contains("time") && told.contains("equal")) return judged(told);
  raise(ErrorKind::Device, process.how_it_ended() + message_in(errors));
}

}  // namespace

FreshContest fresh_contest(const FreshContestants& models, const std::vector<std::string>& options,
                           const Progress& progress) {
  try {
    return run_contest(models, options, progress);
  } catch (const Error& error) {
    return {.why_not = fmt::format("a fresh process could not time it again: {}", error.message())};
  }
}

}  // namespace braid::cli
