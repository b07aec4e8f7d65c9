#include "zoo/zoo.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/progress_line.h"
#include "cli/table.h"
#include "onnx/save.h"

namespace braid::cli {
namespace {

struct ZooArguments {
  std::string model;
  std::string output;
  std::int64_t batch = 1;
  std::int64_t size = 0;
  std::uint64_t seed = zoo::ZooOptions{}.seed;
  int opset = 0;
  JsonOutput json;
  bool quiet = false;
};

int list(const ZooArguments& options) {
  if (options.json.wanted()) {
    nlohmann::json rows = nlohmann::json::array();
    for (const zoo::ZooModel& model : zoo::models())
      rows.push_back({{"name", model.name}, {"description", model.help}});
    options.json.write(json_text({{"models", rows}}));
  }
  if (options.json.replaces_text()) return 0;
  Table table({"name", "what it is"});
  for (const zoo::ZooModel& model : zoo::models())
    table.add({std::string(model.name), std::string(model.help)});
  fmt::print("{}", table.text());
  return 0;
}

int write_model(const ZooArguments& options) {
  if (options.output.empty())
    raise(ErrorKind::Usage,
          fmt::format("where shall {} be written? Add -o FILE.onnx", options.model));
  const Progress progress = progress_line(options.quiet);
  report(progress, "building " + options.model, 0, 0);
  zoo::ZooOptions zoo_options;
  zoo_options.batch = options.batch;
  zoo_options.seed = options.seed;
  zoo_options.image_size = options.size;
  const Graph graph = zoo::build(options.model, zoo_options);
  onnx::SaveOptions save;
  save.opset = options.opset;
  onnx::save(graph, options.output, save);
  return 0;
}

}  // namespace

Action configure_zoo(OptionSet& add) {
  auto options = std::make_shared<ZooArguments>();
  add.text("NAME", options->model, "The model to write; without it, all are listed", "");
  add.output("-o,--output", options->output, "The ONNX file to write");
  add.integer("--batch", options->batch, "Batch size", 1, 1 << 20);
  add.integer("--size", options->size, "Height and width of the image; 0: the model's own", 0,
              1 << 20);
  add.seed("--seed", options->seed, "Seed of the weights");
  add.integer("--opset", options->opset, "ONNX opset of the file; 0: the model's own", 0, 1000);
  for (const char* option : {"--output", "--batch", "--size", "--seed", "--opset"})
    add.needs(option, {"NAME"}, "it is for the model that is written");
  add.json(options->json, "List as JSON", ends_in_json);
  add.excludes("--json", "NAME", "it lists the models, and NAME writes one");
  add.section(Section::Print);
  add.flag("-q,--quiet", options->quiet, "No progress");
  return [options] { return options->model.empty() ? list(*options) : write_model(*options); };
}

}  // namespace braid::cli
