#include "cli/model_argument.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/checked.h"
#include "base/each_once.h"
#include "base/error.h"
#include "base/text.h"
#include "onnx/interface.h"
#include "ops/cast.h"
#include "ops/op.h"
#include "pipeline/bind.h"
#include "zoo/zoo.h"

namespace braid::cli {
namespace {

constexpr std::string_view kZooPrefix = "zoo:";

std::int64_t parse_size(std::string_view text, std::string_view whole) {
  std::int64_t size = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (problem != std::errc() || end != text.data() + text.size() || size < 0)
    raise(ErrorKind::Usage, fmt::format("{} in {} is not a size", quote(text), quote(whole)));
  return size;
}

Dims parse_size_list(std::string_view text, char separator, std::string_view whole) {
  Dims dims;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    dims.push_back(parse_size(text.substr(0, end), whole));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return dims;
}

/// Takes one "name:1x2", "name:[1,2]" or "name[1,2]" off the front of `rest`.
void take_shape(std::string_view& rest, std::string_view whole,
                std::map<std::string, Dims>& shapes) {
  const std::size_t bracket = rest.find('[');
  const std::size_t comma = rest.find(',');
  std::string_view name;
  Dims dims;
  std::size_t end = 0;
  if (bracket != std::string_view::npos && bracket < comma) {
    const std::size_t close = rest.find(']', bracket);
    if (close == std::string_view::npos)
      raise(ErrorKind::Usage, fmt::format("{} lacks a ']'", quote(whole)));
    name = rest.substr(0, bracket);
    if (name.ends_with(':')) name.remove_suffix(1);
    dims = parse_size_list(rest.substr(bracket + 1, close - bracket - 1), ',', whole);
    end = close + 1;
  } else {
    end = std::min(comma, rest.size());
    const std::string_view item = rest.substr(0, end);
    const std::size_t colon = item.rfind(':');
    if (colon == std::string_view::npos)
      raise(ErrorKind::Usage,
            fmt::format("{} is not a shape; write name:1x3x224x224", quote(item)));
    name = item.substr(0, colon);
    dims = parse_size_list(item.substr(colon + 1), 'x', whole);
  }
  if (name.empty()) raise(ErrorKind::Usage, fmt::format("a shape in {} has no name", quote(whole)));
  shapes[std::string(name)] = dims;
  rest.remove_prefix(end);
  while (!rest.empty() && (rest[0] == ',' || rest[0] == ' ' || rest[0] == ';'))
    rest.remove_prefix(1);
}

}  // namespace

std::map<std::string, Dims> parse_shapes(const std::vector<std::string>& texts) {
  std::map<std::string, Dims> shapes;
  for (std::string_view rest : texts) {
    const std::string_view whole = rest;
    while (!rest.empty()) take_shape(rest, whole, shapes);
  }
  return shapes;
}

std::map<std::string, std::int64_t> parse_dims(const std::vector<std::string>& texts) {
  std::map<std::string, std::int64_t> dims;
  for (const std::string& text : texts)
    for (const std::string& item : comma_separated(text)) {
      const std::size_t split = item.find_last_of("=:");
      if (split == std::string::npos || split == 0)
        raise(ErrorKind::Usage, fmt::format("{} binds no dimension; write name=size", quote(item)));
      dims[item.substr(0, split)] = parse_size(std::string_view(item).substr(split + 1), item);
    }
  return dims;
}

void add_quota_option(OptionSet& add, std::vector<std::string>& quotas) {
  add.section(Section::What);
  std::string names;
  for (const QuotaRow& row : quota_rows())
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  add.list("--quota", quotas, "Allow a model more or less of: " + names + " (docs/security.md)",
           ListOf::Bindings, "NAME=NUMBER");
}

void add_shape_options(OptionSet& add, ModelArgument& argument) {
  add.section(Section::What);
  add.list("--shapes,--input-shapes", argument.shapes, "Bind input shapes, e.g. x:1x3x224x224",
           ListOf::Bindings, "NAME:SHAPE");
  add.list("--dim,-f", argument.dims, "Bind symbolic dimensions, e.g. batch=1", ListOf::Bindings,
           "NAME=SIZE");
  add.text("--external-data-root", argument.external_data_root,
           "Let weights in separate files lie anywhere below DIR (links included); default: the "
           "model's own folder, no links",
           "DIR");
  add_quota_option(add, argument.quotas);
}

void add_model_argument(OptionSet& add, ModelArgument& argument) {
  add.required_text("MODEL,-m,--model,--onnx", argument.model, "An ONNX file, or zoo:NAME");
  add_shape_options(add, argument);
}

void add_batch_option(OptionSet& add, ModelArgument& argument) {
  add.section(Section::What);
  add.integer("-b,--batch", argument.batch,
              "Batch size: the first dimension of all inputs; 0: as the model says", 0, 1 << 20);
}

Quotas parse_quotas(const std::vector<std::string>& assignments) {
  Quotas quotas;
  for (const std::string& assignment : assignments) set_quota(quotas, assignment);
  return quotas;
}

Quotas quotas_of(const ModelArgument& argument) { return parse_quotas(argument.quotas); }

namespace {

/// Random inputs are made before there is a Plan that tells what the whole model needs.
void check_memory_of_inputs(const Graph& graph, const Quotas& quotas) {
  const std::int64_t limit = memory_limit(quotas);
  std::int64_t sum = 0;
  for (ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    sum = checked_add(sum, byte_size(value.type));
    if (sum > limit)
      raise(ErrorKind::Quota,
            fmt::format("the inputs need more than {} bytes (quota 'memory_bytes'); {} is {}",
                        limit, quote(value.name), to_string(value.type)));
  }
}

void check_all_given(const std::vector<std::string>& missing,
                     const std::vector<std::string>& files) {
  if (missing.empty()) return;
  raise(
      ErrorKind::Usage,
      fmt::format("--load-inputs {} gives no tensor for {}; --seed N makes what is missing random",
                  printable(fmt::format("{}", fmt::join(files, ", "))),
                  printable(fmt::format("{}", fmt::join(missing, ", ")), 2000)));
}

void convert(NamedInputs& given, const std::map<std::string, ElementType>& elements,
             const std::string& model, const std::function<void(const std::string&)>& converted) {
  for (auto& [input, tensor] : given) {
    const ElementType wanted = elements.at(input);
    if (!tensor.defined() || tensor.element() == wanted) continue;
    converted(fmt::format("input {} was given as {} and is converted to {}, which {} takes",
                          quote(input), name(tensor.element()), name(wanted), quote(model)));
    tensor = cast(tensor.aligned(), wanted);
  }
}

void tell(const std::string& note) { fmt::print(stderr, "braid: note: {}\n", note); }

/// A model may be loaded several times, and its notes are told once.
Warn tell_once() {
  static const Warn warn = each_once(tell);
  return warn;
}

/// Of the seed and the ranges, which no random input reads.
void tell_what_is_not_random(const std::vector<std::string>& inputs, const RandomInputs& random) {
  const std::string_view why = "--load-inputs gives all inputs";
  if (inputs.empty() && random.seed) tell(fmt::format("--seed changes nothing here: {}", why));
  for (const std::string& range : random.ranges) {
    const std::string name = input_of_range(range);
    const bool is_read = name.empty() ? !inputs.empty() : std::ranges::count(inputs, name) > 0;
    if (is_read) continue;
    tell(fmt::format("--val-range {} changes nothing here: {}", printable(range),
                     name.empty() ? why : "--load-inputs gives this input"));
  }
}

std::string joined(const std::vector<std::string>& names) {
  return printable(fmt::format("{}", fmt::join(names, ", ")), 2000);
}

/// Elements of inputs decide a shape: says how they are given, if the command takes them.
template <class Load>
auto with_hint_of_inputs(bool takes_inputs, Load&& load) {
  try {
    return std::forward<Load>(load)();
  } catch (ValueNeeded& needed) {
    if (needed.graph_inputs().empty()) throw;
    needed.add_note(
        takes_inputs
            ? fmt::format("the elements of {} decide it; give them: --load-inputs {}:FILE.npy",
                          joined(needed.graph_inputs()), printable(needed.graph_inputs()[0]))
            : fmt::format("the elements of {} decide it; `braid run`, `plan`, `explain`, `trace`, "
                          "`bench`, `report` and `compare` take them: --load-inputs {}:FILE.npy",
                          joined(needed.graph_inputs()), printable(needed.graph_inputs()[0])));
    throw;
  }
}

}  // namespace

onnx::LoadOptions load_options(const ModelArgument& argument, const Progress& progress) {
  onnx::LoadOptions options;
  options.shapes = parse_shapes(argument.shapes);
  options.dims = parse_dims(argument.dims);
  options.batch = argument.batch;
  options.external_data_root = argument.external_data_root;
  options.quotas = quotas_of(argument);
  options.progress = progress;
  options.warn = tell_once();
  return options;
}

bool is_from_zoo(const ModelArgument& argument) { return argument.model.starts_with(kZooPrefix); }

onnx::Survey survey_model(const ModelArgument& argument) {
  return onnx::survey(argument.model, load_options(argument, {}));
}

namespace {

/// Loads a model of a file. An error that tells of one thing that is not supported also tells how
/// many more there are.
template <class Load>
auto telling_of_others(const ModelArgument& argument, const Load& load) {
  try {
    return load();
  } catch (Error& error) {
    if (error.kind() != ErrorKind::Unsupported) throw;
    std::size_t refused = 0;
    try {
      refused = survey_model(argument).refusals.size();
    } catch (const Error&) {  // What is wrong beside the refusal matters once that is gone.
    }
    if (refused > 1)
      error.add_note(fmt::format("and {} more {} not supported; `braid inspect` lists them",
                                 refused - 1, refused == 2 ? "thing is" : "things are"));
    throw;
  }
}

}  // namespace

Graph load_model(const ModelArgument& argument, const Progress& progress) {
  if (is_from_zoo(argument)) {
    quotas_of(argument);
    if (!argument.shapes.empty() || !argument.dims.empty())
      raise(ErrorKind::Usage,
            "models of the zoo have no open dimensions: --shapes and --dim are for "
            "files; --batch changes the batch");
    if (!argument.external_data_root.empty())
      tell("--external-data-root changes nothing here: no weights of the zoo are in files");
    zoo::ZooOptions options;
    if (argument.batch > 0) options.batch = argument.batch;
    return zoo::build(argument.model.substr(kZooPrefix.size()), options);
  }
  return telling_of_others(argument, [&] {
    return with_hint_of_inputs(
        false, [&] { return onnx::load(argument.model, load_options(argument, progress)); });
  });
}

onnx::Interface read_interface(const ModelArgument& argument) {
  return onnx::read_interface(argument.model, load_options(argument, {}));
}

ModelWithInputs load_model(const ModelArgument& argument,
                           const std::vector<std::string>& input_files, const RandomInputs& random,
                           const Progress& progress,
                           const std::function<void(const std::string&)>& converted) {
  const bool from_zoo = is_from_zoo(argument);
  ModelWithInputs result;
  std::vector<std::string>& names = result.names;
  std::map<std::string, ElementType> elements;
  const auto add_input = [&](const std::string& name, ElementType element) {
    names.push_back(name);
    elements[name] = element;
  };
  if (from_zoo) {
    result.graph = load_model(argument, progress);
    for (ValueId id : result.graph.inputs())
      add_input(result.graph.value(id).name, result.graph.value(id).type.element);
  } else {
    const onnx::Interface interface =
        telling_of_others(argument, [&] { return read_interface(argument); });
    for (const ValueInfo& info : interface.inputs) add_input(info.name, info.element);
  }
  NamedInputs given = load_tensors(input_files, names, "input", quotas_of(argument));
  check_known(given, names);
  if (converted) convert(given, elements, argument.model, converted);
  if (!from_zoo) {
    BoundModel bound = telling_of_others(argument, [&] {
      return with_hint_of_inputs(true, [&] {
        return load_bound(argument.model, load_options(argument, progress), given);
      });
    });
    result.graph = std::move(bound.graph);
    for (const std::string& name : bound.values) result.fixed.insert(given.extract(name));
  }
  check_memory_of_inputs(result.graph, quotas_of(argument));
  std::vector<ValueType> values;
  for (const ValueId id : result.graph.inputs()) {
    values.push_back({result.graph.value(id).name, result.graph.value(id).type});
    if (!given.contains(values.back().name)) result.random.push_back(values.back().name);
  }
  if (!input_files.empty() && !random.seed) check_all_given(result.random, input_files);
  check_ranges(random, names);
  tell_what_is_not_random(result.random, random);
  result.make_inputs = [values = std::move(values), given = std::move(given), random] {
    return make_inputs(values, given, random);
  };
  return result;
}

std::vector<NamedTensor> all_inputs(const ModelWithInputs& model,
                                    const std::vector<Tensor>& tensors) {
  std::vector<NamedTensor> named;
  auto next = tensors.begin();
  for (const std::string& name : model.names) {
    const auto fixed = model.fixed.find(name);
    require(fixed != model.fixed.end() || next != tensors.end(), "a tensor for every input");
    named.emplace_back(name, fixed != model.fixed.end() ? fixed->second : *next++);
  }
  return named;
}

}  // namespace braid::cli
