#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/help_text.h"
#include "cli/signals.h"
#include "cli/usage_message.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/machine/machine_file.h"
#include "devices/open.h"

namespace braid::cli {
namespace {

constexpr std::array kCommands = {
    Command{"zoo", "List the benchmark models, or write one as an ONNX file",
            "  braid zoo\n"
            "  braid zoo nasnet-a-mobile -o nasnet.onnx\n"
            "  braid zoo bert-base -o bert.onnx --batch 4\n"
            "  braid zoo inception-v3 -o inception.onnx --size 224\n",
            configure_zoo},
    Command{"inspect", "Show what is in a model: inputs, sizes, operators, depth and width",
            "  braid inspect model.onnx\n"
            "  braid inspect model.onnx --canonicalise\n"
            "  braid inspect model.onnx --canonicalise -o clean.onnx\n"
            "  braid inspect model.onnx --dim batch=1 --json\n"
            "  braid inspect zoo:googlenet --text\n"
            "  braid inspect model.onnx --optimised --resume moves.json\n",
            configure_inspect},
    Command{"run", "Run a model on given or random inputs",
            "  braid run model.onnx\n"
            "  braid run model.onnx --load-inputs in.npz --save-outputs out.npz\n"
            "  braid run model.onnx --load-inputs x:x.npy --shapes x:1x3x224x224\n"
            "  braid run zoo:squeezenet-1.1 --seed 7 --trace trace.json\n",
            configure_run},
    Command{"profile", "Measure a model's operators on this machine and keep their times",
            "  braid profile model.onnx\n"
            "  braid profile zoo:googlenet --top 10 --threads 2\n"
            "  braid profile model.onnx --json - --no-profile-cache\n",
            configure_profile},
    Command{"bench",
            "Measure schedulers and other runtimes side by side: they alternate inferences",
            "  braid bench model.onnx\n"
            "  braid bench zoo:googlenet zoo:nasnet-a-mobile --schedulers all --threads 2\n"
            "  braid bench model.onnx --concurrency 4 --duration 10\n"
            "  braid bench model.onnx --rate 100 --threads 1,2 --streams 1,2\n"
            "  braid bench model.onnx --against onnxruntime,openvino --shapes x:1x3x640x640\n"
            "  braid bench model.onnx --against onnxruntime --load-inputs in.npz --threads 4\n"
            "  braid bench model.onnx --load-plan edited.json --json -\n",
            configure_bench},
    Command{"plan", "Show who runs where, in which order, waiting for what, in how much memory",
            "  braid plan model.onnx\n"
            "  braid plan model.onnx --scheduler sequential -o plan.json\n"
            "  braid plan model.onnx --load-plan plan.json --steps\n"
            "  braid plan model.onnx --scheduler braid --edits edits.txt\n",
            configure_plan},
    Command{
        "optimize", "Rewrite a model to run faster on a device, and write it as an ONNX file",
        "  braid optimize model.onnx -d sim:a100 -o faster.onnx\n"
        "  braid optimize model.onnx -o faster.onnx --time-budget 300 --save-plan plan.json\n"
        "  braid optimize zoo:resnext-50 -d sim:v100 -o resnext.onnx --max-candidates 2000\n"
        "  braid optimize model.onnx -o faster.onnx --save-moves moves.json --json report.json\n"
        "  braid optimize model.onnx -o faster.onnx --resume moves.json\n",
        configure_optimize, "optimise"},
    Command{"rules", "List the rules by which `optimize` rewrites, and prove them",
            "  braid rules\n"
            "  braid rules --verify\n"
            "  braid rules --json rules.json\n",
            configure_rules},
    Command{"explain", "Say what bounds a Plan, why operators do not overlap, and what would help",
            "  braid explain model.onnx\n"
            "  braid explain model.onnx --device sim:a100 --top 20\n"
            "  braid explain model.onnx --pair conv_1 conv_7\n"
            "  braid explain model.onnx --pareto\n"
            "  braid explain model.onnx --mem-budget 64MiB --json\n",
            configure_explain},
    Command{"trace", "Run a model and write what happened when, for Perfetto or chrome://tracing",
            "  braid trace model.onnx -o trace.json\n"
            "  braid trace model.onnx -o trace.json --load-plan plan.json\n",
            configure_trace},
    Command{
        "report", "Draw schedulers' timelines of a model, as one HTML page that works offline",
        "  braid report model.onnx -o report.html\n"
        "  braid report zoo:inception-v3 --device sim:a100 --schedulers sequential,opara,braid\n"
        "  braid report model.onnx --svg timeline.svg --graph-svg graph.svg --dot graph.dot\n",
        configure_report},
    Command{"compare",
            "Compare a model's outputs, and time, with another's, or with recorded outputs",
            "  braid compare a.onnx b.onnx\n"
            "  braid compare model.onnx expected.npz --load-inputs in.npz\n"
            "  braid compare a.onnx b.onnx --rtol 1e-3 --json\n"
            "  braid compare a.onnx b.onnx --time\n"
            "  braid compare a.onnx b.onnx --time --load-plan a.json --load-plan b.json\n",
            configure_compare},
    Command{"operators", "List the operators that Braid knows, with their ONNX versions and types",
            "  braid operators\n"
            "  braid operators Conv --json\n",
            configure_operators},
    Command{"replay-ios", "Replay a schedule file of IOS on a simulated GPU",
            "  braid replay-ios inception_v3.json --device sim:v100\n"
            "  braid replay-ios inception_v3.json --batch 32\n"
            "  braid replay-ios inception_v3.json --device sim:./my-gpu.json --json\n",
            configure_replay_ios},
    Command{"test-onnx", "Run test cases in ONNX's form: model.onnx with test_data_set_* folders",
            "  braid test-onnx node_tests/\n"
            "  braid test-onnx node_tests/ --json > report.json\n"
            "  braid test-onnx node_tests/test_conv_with_strides_padding\n",
            configure_test_onnx},
};

constexpr const char* kExitCodes =
    "Exit codes: 0 done, 1 internal error, 2 usage, 3 bad model or input, 4 unsupported, 5 "
    "mismatch,\n"
    "6 quota or memory, 7 device, 9 not written (a full disk), 130 cancelled.\n\n"
    "A model is an ONNX file, or zoo:NAME for one of the benchmark models; zoo:NAME@SIZE gives it\n"
    "images of another size.\n"
    "`braid COMMAND --help` shows a command's options and examples.";

struct VersionOptions {
  bool wanted = false;
  JsonOutput json;
};

void configure_version(OptionSet& options, VersionOptions& into) {
  options.flag("--version", into.wanted,
               "Print the version, and the processor, instruction set, oneDNN version and "
               "lanes that models run on");
  options.json(into.json,
               "With --version: print the machine, for the environment variable BRAID_MACHINE "
               "elsewhere, as JSON");
}

/// The version, with what a stranger's report should tell.
int tell_version(const JsonOutput& json) {
  const std::string told = braid::open_device("cpu")->fingerprint();
  if (json.wanted()) json.write(cpu::machine_text(cpu::machine(), BRAID_VERSION, told));
  if (!json.replaces_text()) fmt::print("braid {}\ncpu is {}\n", BRAID_VERSION, told);
  return 0;
}

/// The row of a command; behind the last one if there is none.
std::size_t index_of(std::string_view word) {
  const auto row = std::ranges::find_if(kCommands, [&](const Command& candidate) {
    return word == candidate.name || word == candidate.alias;
  });
  return static_cast<std::size_t>(row - kCommands.begin());
}

std::vector<NamedText> named_commands() {
  std::vector<NamedText> rows;
  for (const Command& command : kCommands)
    rows.push_back({std::string(command.name) +
                        (command.alias.empty() ? "" : fmt::format(", {}", command.alias)),
                    std::string(command.help)});
  return rows;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("Braid runs neural networks with independent operators side by side.", "braid");
  OptionSet own(app);
  VersionOptions version;
  configure_version(own, version);
  app.require_subcommand(0, 1);
  app.formatter_fn([&](const CLI::App*, const std::string&, CLI::AppFormatMode) {
    return overview_text(app.get_description(), own.rows(), named_commands(), kExitCodes);
  });
  std::array<Action, kCommands.size()> actions;
  std::array<CLI::App*, kCommands.size()> subcommands{};
  std::vector<OptionSet> options;
  options.reserve(kCommands.size());
  for (std::size_t i = 0; i < kCommands.size(); ++i) {
    const Command& command = kCommands[i];
    subcommands[i] = app.add_subcommand(std::string(command.name), std::string(command.help));
    if (!command.alias.empty()) subcommands[i]->alias(std::string(command.alias));
    actions[i] = command.configure(options.emplace_back(*subcommands[i]));
    subcommands[i]->formatter_fn([&, i](const CLI::App*, const std::string&, CLI::AppFormatMode) {
      return help_text(kCommands[i].name, kCommands[i].help, options[i].rows(),
                       kCommands[i].examples);
    });
  }
  const std::size_t named = argc > 1 ? index_of(argv[1]) : kCommands.size();
  std::vector<std::string> words(argv + 1, argv + argc);
  if (named < kCommands.size()) {
    words = options[named].prepared({argv + 2, argv + argc});
    words.insert(words.begin(), argv[1]);
  } else {
    words = own.prepared(words);
  }
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const auto chosen = app.get_subcommands();
    fmt::print(stderr, "braid: usage error: {}\n", usage_message(app, error));
    if (named < kCommands.size() && !options[named].hint().empty())
      fmt::print(stderr, "  {}\n", options[named].hint());
    fmt::print(stderr, "  try `braid {}--help`\n",
               chosen.empty() ? "" : chosen[0]->get_name() + " ");
    return exit_code(ErrorKind::Usage);
  }
  own.settle();
  if (version.wanted) return tell_version(version.json);
  if (version.json.wanted())
    raise(ErrorKind::Usage, "--json stands behind a command, or beside --version");
  for (std::size_t i = 0; i < kCommands.size(); ++i)
    if (*subcommands[i]) {
      options[i].settle();
      return actions[i]();
    }
  fmt::print("{}", app.help());
  return 0;
}

int tell_error(const Error& error) {
  fmt::print(stderr, "braid: {}: {}\n", name(error.kind()), error.message());
  for (const std::string& note : error.notes()) fmt::print(stderr, "  {}\n", note);
  if (error.kind() == ErrorKind::Internal)
    fmt::print(stderr, "  this is a bug in Braid (raised at {}:{}); please report it\n",
               error.where().file_name(), error.where().line());
  return exit_code(error.kind());
}

/// What was printed did not arrive: a full disk behind `>`.
int tell_lost_output() {
  return tell_error(Error(
      ErrorKind::Output, fmt::format("cannot write to standard output: {}", std::strerror(errno))));
}

}  // namespace
}  // namespace braid::cli

int main(int argc, char** argv) {
  using namespace braid;
  try {
    cli::watch_signals();
    cli::keep_command_line(argc, argv);
    const int code = cli::parse_and_run(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return cli::tell_lost_output();
    return code;
  } catch (const Error& error) {
    return cli::tell_error(error);
  } catch (const std::bad_alloc&) {
    return cli::tell_error(Error(ErrorKind::Quota, "out of memory"));
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return cli::tell_lost_output();
    return cli::tell_error(Error(ErrorKind::Internal, error.what()));
  }
}
