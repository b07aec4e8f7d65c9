#include "cli/tensor_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "onnx/tensor_file.h"
#include "tensor/element.h"
#include "tensor/random_tensor.h"

namespace braid::cli {
namespace {

namespace fs = std::filesystem;

/// ".npz", in lower case; empty if the name has none.
std::string ending_of(const fs::path& file) { return lower_case(file.extension().string()); }

/// Tensors by name, each with the file that gave it.
class TensorsOfFiles {
 public:
  explicit TensorsOfFiles(std::string stem) : stem_(std::move(stem)) {}

  const std::string& stem() const { return stem_; }
  void add(const std::string& name, Tensor tensor, const std::string& file) {
    const auto [other, fresh] = files_.emplace(name, file);
    if (!fresh)
      raise(ErrorKind::Usage,
            fmt::format("the {} {} is given twice, by {} and by {}; leave one out", stem_,
                        quote(name), quote(other->second), quote(file)));
    tensors_[name] = std::move(tensor);
  }
  std::map<std::string, Tensor> take() { return std::move(tensors_); }

 private:
  std::string stem_;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::string> files_;
};

void load_folder(const fs::path& folder, const std::vector<std::string>& names,
                 const Quotas& quotas, TensorsOfFiles& tensors) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const fs::path file = folder / fmt::format("{}_{}.pb", tensors.stem(), i);
    if (!fs::exists(file)) continue;
    auto [name, tensor] = onnx::read_tensor_file(file, quotas);
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    tensors.add(known ? name : names[i], tensor, file.string());
  }
}

void load_file(const std::string& spec, const std::vector<std::string>& names, const Quotas& quotas,
               TensorsOfFiles& tensors) {
  std::string name;
  std::string file = spec;
  const std::size_t colon = spec.rfind(':');
  if (colon != std::string::npos && !fs::exists(spec)) {
    name = spec.substr(0, colon);
    file = spec.substr(colon + 1);
  }
  Tensor tensor;
  if (ending_of(file) == ".npy") {
    tensor = read_npy(file);
  } else if (ending_of(file) == ".pb") {
    auto [stored, read] = onnx::read_tensor_file(file, quotas);
    tensor = read;
    if (name.empty() && std::find(names.begin(), names.end(), stored) != names.end()) name = stored;
  } else {
    raise(ErrorKind::Usage,
          fmt::format("{} is no tensor file; expected .npz, .npy, .pb or a folder of .pb files",
                      quote(file)));
  }
  if (name.empty() && names.size() == 1) name = names[0];
  if (name.empty())
    raise(ErrorKind::Usage,
          fmt::format("{} does not say which value it is for; write NAME:{}", quote(file), file));
  tensors.add(name, tensor, spec);
}

NumberRange parse_range(std::string_view text) {
  NumberRange range;
  const std::string_view whole = text;
  const std::size_t comma = text.find(',');
  const auto number = [&](std::string_view digits, double& x) {
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), x);
    return problem == std::errc() && end == digits.data() + digits.size();
  };
  if (!text.starts_with('[') || !text.ends_with(']') || comma == std::string_view::npos ||
      !number(text.substr(1, comma - 1), range.low) ||
      !number(text.substr(comma + 1, text.size() - comma - 2), range.high) ||
      range.low > range.high)
    raise(ErrorKind::Usage,
          fmt::format("{} is not a range; write [low,high] or NAME:[low,high]", quote(whole)));
  return range;
}

std::map<std::string, NumberRange> parse_ranges(const std::vector<std::string>& texts) {
  std::map<std::string, NumberRange> ranges;
  for (const std::string& text : texts) {
    const std::string name = input_of_range(text);
    ranges[name] = parse_range(name.empty() ? text : text.substr(name.size() + 1));
  }
  return ranges;
}

Tensor random_input(const ValueType& value, std::uint64_t seed,
                    const std::map<std::string, NumberRange>& ranges) {
  auto found = ranges.find(value.name);
  if (found == ranges.end()) found = ranges.find("");
  const NumberRange usual = {is_float_type(value.type.element) ? -1.0 : 0.0, 1};
  const Hash128 name_hash =
      hash_bytes(std::as_bytes(std::span(value.name.data(), value.name.size())));
  return random_tensor(value.type, found != ranges.end() ? found->second : usual,
                       seed ^ name_hash.low);
}

}  // namespace

std::map<std::string, Tensor> load_tensors(const std::vector<std::string>& files,
                                           const std::vector<std::string>& names,
                                           const std::string& stem, const Quotas& quotas) {
  TensorsOfFiles tensors(stem);
  for (const std::string& file : files) {
    if (fs::is_directory(file))
      load_folder(file, names, quotas, tensors);
    else if (ending_of(file) == ".npz")
      for (auto& [name, tensor] : read_npz(file, quotas.memory_bytes))
        tensors.add(name, tensor, file);
    else
      load_file(file, names, quotas, tensors);
  }
  return tensors.take();
}

void save_tensors(const std::string& file, const std::vector<NamedTensor>& tensors,
                  const std::string& stem) {
  const std::string ending = ending_of(file);
  if (ending == ".npz") {
    write_npz(file, tensors);
    return;
  }
  if (ending == ".npy" || ending == ".pb") {
    if (tensors.size() != 1)
      raise(ErrorKind::Usage,
            fmt::format("{} can hold one tensor and there are {}; write to a .npz file or a folder",
                        quote(file), tensors.size()));
    if (ending == ".npy")
      write_npy(file, tensors[0].second);
    else
      onnx::write_tensor_file(file, {tensors[0].first, tensors[0].second});
    return;
  }
  if (!ending.empty() && !fs::is_directory(file))
    raise(ErrorKind::Usage, fmt::format("{} ends with {}, which holds no tensors; write to a .npz, "
                                        ".npy or .pb file, or to a folder",
                                        quote(file), quote(ending)));
  std::error_code problem;
  fs::create_directories(file, problem);
  if (problem)
    raise(ErrorKind::Usage,
          fmt::format("cannot make the folder {}: {}", quote(file), problem.message()));
  for (std::size_t i = 0; i < tensors.size(); ++i)
    onnx::write_tensor_file(fs::path(file) / fmt::format("{}_{}.pb", stem, i),
                            {tensors[i].first, tensors[i].second});
}

std::string input_of_range(const std::string& range) {
  const std::size_t bracket = range.find('[');
  const bool named = bracket != std::string::npos && bracket > 0 && range[bracket - 1] == ':';
  return named ? range.substr(0, bracket - 1) : "";
}

void check_known(const std::map<std::string, Tensor>& given,
                 const std::vector<std::string>& names) {
  for (const auto& [name, tensor] : given)
    if (std::find(names.begin(), names.end(), name) == names.end())
      raise(ErrorKind::Model,
            fmt::format("the model has no input {}; its inputs are: {}", quote(name),
                        printable(fmt::format("{}", fmt::join(names, ", ")), 2000)));
}

std::vector<Tensor> make_inputs(const std::vector<ValueType>& values,
                                const std::map<std::string, Tensor>& given,
                                const RandomInputs& random) {
  const auto ranges = parse_ranges(random.ranges);
  std::vector<Tensor> inputs;
  for (const ValueType& value : values) {
    const auto found = given.find(value.name);
    with_note([&] { return "while making the random input " + quote(value.name); },
              [&] {
                inputs.push_back(found != given.end()
                                     ? found->second
                                     : random_input(value, random.number(), ranges));
              });
  }
  return inputs;
}

void check_ranges(const RandomInputs& random, const std::vector<std::string>& names) {
  for (const auto& [name, range] : parse_ranges(random.ranges))
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      raise(ErrorKind::Usage,
            fmt::format("--val-range names the input {}, which the model does not have; its inputs "
                        "are: {}",
                        quote(name), printable(fmt::format("{}", fmt::join(names, ", ")), 2000)));
}

}  // namespace braid::cli
