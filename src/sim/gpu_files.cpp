#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/data_folder.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/nearest.h"
#include "base/text.h"
#include "sim/gpu_spec.h"
#include "sim/spec_notes.h"

namespace braid::sim {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(std::string_view what) {
  return data_folder(what, fs::path(BRAID_SIM_SOURCE_FOLDER) / what);
}

std::vector<std::string> names_in(std::string_view what) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder_of(what), failed))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_text(const fs::path& path) {
  const auto file = MappedFile::open(path);
  return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
}

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".json");
}

bool is_one_of(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

fs::path file_of(std::string_view what, std::string_view name) {
  return folder_of(what) / fmt::format("{}.json", name);
}

GpuSpec read_spec(const fs::path& path) {
  GpuSpec spec = parse_gpu_spec(read_text(path), path.string());
  if (spec.cudnn.empty()) return spec;
  const std::vector<std::string> known = names_in("cudnn");
  if (!is_one_of(known, spec.cudnn))
    raise(ErrorKind::Model,
          fmt::format("the GPU spec {} names answers of cuDNN for {}; there are "
                      "some for: {}",
                      quote(path.string()), quote(spec.cudnn), fmt::join(known, ", ")));
  const fs::path answers = file_of("cudnn", spec.cudnn);
  spec.conv_answers =
      std::make_shared<const ConvAnswers>(parse_conv_answers(read_text(answers), answers.string()));
  return spec;
}

/// A user's spec, compared with those that come with Braid.
GpuSpec read_own_spec(const fs::path& path) {
  GpuSpec spec = read_spec(path);
  std::vector<GpuSpec> known;
  for (const std::string& name : gpu_names()) {
    const fs::path file = file_of("gpus", name);
    known.push_back(parse_gpu_spec(read_text(file), file.string()));
  }
  for (const std::string& note : spec_notes(spec, known))
    spec.notes.push_back(fmt::format("{}: {}", printable(path.string()), note));
  return spec;
}

}  // namespace

std::vector<std::string> gpu_names() { return names_in("gpus"); }

GpuSpec load_gpu_spec(std::string_view name_or_path) {
  if (is_path(name_or_path)) return read_own_spec(name_or_path);
  const std::vector<std::string> names = gpu_names();
  if (!is_one_of(names, name_or_path))
    raise(ErrorKind::Usage,
          fmt::format("there is no simulated GPU {}; there are: {}; or give a spec file as "
                      "sim:./my-gpu.json{}",
                      quote(name_or_path), fmt::join(names, ", "),
                      did_you_mean(name_or_path, names)));
  return read_spec(file_of("gpus", name_or_path));
}

}  // namespace braid::sim
