#include "simulate.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "ios_networks.h"

namespace braid::gpu_model {
namespace {

constexpr std::string_view kIos = "ios";

std::string network_key(const PublishedRow& row) {
  return fmt::format("{} {} {} {}", row.setup, row.gpu, row.network, row.batch);
}

std::string time_key(const PublishedRow& row, const std::string& schedule) {
  return fmt::format("{} {} {} {} {}", network_key(row), schedule, row.file, row.group_units,
                     row.groups);
}

std::vector<sim::IosStage> read_ios_schedule(const sim::GpuSpec& gpu, const std::string& path,
                                             std::int64_t batch) {
  const auto file = MappedFile::open(path);
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()),
                              file->bytes().size());
  return sim::parse_ios_schedule(gpu, text, path, batch).stages;
}

Band scaled(const Band& band, double factor) {
  return {band.median * factor, band.p10 * factor, band.p90 * factor};
}

}  // namespace

std::string Simulations::why_not(const PublishedRow& row) const {
  if (!row.file.empty() && !ios_files_.contains(row.file))
    return fmt::format("IOS's schedule file {} was not given", quote(row.file));
  return "";
}

SimulatedRow Simulations::simulate(const PublishedRow& row) {
  SimulatedRow result;
  result.row = row;
  result.skipped = why_not(row);
  if (!result.skipped.empty()) return result;
  const SimulatedTime own = time(row, row.schedule);
  if (row.is_ratio()) {
    const SimulatedTime over = time(row, row.over);
    result.nominal = over.nominal_us / own.nominal_us;
    result.band = ratio_band(over, own);
  } else {
    result.nominal = own.nominal_us / 1e3;
    result.band = scaled(own.band_us(), 1e-3);
  }
  return result;
}

SimulatedTime Simulations::time(const PublishedRow& row, const std::string& schedule) {
  const std::string key = time_key(row, schedule);
  const auto known = times_.find(key);
  if (known != times_.end()) return known->second;
  const auto where = [&] { return fmt::format("while simulating {} by {}", row.id, schedule); };
  return times_[key] = with_note(where, [&] {
           return row.setup == kIos ? ios_time(row, schedule) : captured_time(row, schedule);
         });
}

SimulatedTime Simulations::ios_time(const PublishedRow& row, const std::string& schedule) {
  const sim::GpuSpec gpu = sim::load_gpu_spec(row.gpu);
  if (schedule == "ios-file")
    return sim::ios_time(gpu, read_ios_schedule(gpu, ios_files_.at(row.file), row.batch));
  if (last_ != network_key(row)) {
    captured_.reset();
    units_ = units_of(gpu, ios_network(row.network, row.batch));
    last_ = network_key(row);
  }
  if (schedule == "sequential") return sim::ios_time(gpu, sequential(*units_));
  if (schedule == "greedy") return sim::ios_time(gpu, greedy(*units_));
  if (schedule == "ios")
    return sim::ios_time(gpu, searched(gpu, *units_, row.group_units, row.groups));
  raise(ErrorKind::Usage,
        fmt::format("there is no schedule {} in IOS's set-up: choose sequential, greedy, ios or "
                    "ios-file",
                    quote(schedule)));
}

SimulatedTime Simulations::captured_time(const PublishedRow& row, const std::string& schedule) {
  if (last_ != network_key(row)) {
    units_.reset();
    captured_.reset();
    captured_ = bench::capture(row.gpu, row.setup, row.network, row.batch);
    last_ = network_key(row);
  }
  return captured_->time(schedule);
}

}  // namespace braid::gpu_model
