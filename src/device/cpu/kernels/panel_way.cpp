#include "device/cpu/kernels/panel_way.h"

#include <memory>
#include <utility>

#include "base/checked.h"
#include "device/cpu/kernels/panel_product.h"
#include "device/cpu/kernels/strassen_product.h"
#include "device/cpu/machine/round_figures.h"
#include "plan/plan.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kFloatBytes = sizeof(float);

/// Microseconds, roughly, of the longer of two parts, for as long as they have not been measured:
/// parts of columns read their own columns of the matrix and all of `a`; parts of rows the other
/// way round.
double half_us(const OpCall& call, const PanelProductCall& product, const Cut& cut) {
  const TensorType& output = call.outputs[0];
  const CutRange first = cut_range(output, cut, 0, 2);
  const double share = static_cast<double>(first.end - first.begin) /
                       static_cast<double>(output.dims[static_cast<std::size_t>(cut.axis)]);
  const double flops = 2.0 * static_cast<double>(element_count(output)) *
                       static_cast<double>(product.taps * product.channels);
  const auto matrix = static_cast<double>(element_count(call.input(1)));
  const auto rows = static_cast<double>(element_count(call.input(0)));
  const double read =
      cut.axis == product.column_axis ? matrix * share + rows : matrix + rows * share;
  return share * flops / flops_per_us(isa()) + read * kFloatBytes / kBytesPerUsOfOne;
}

/// In parts of whole grains, which are counted in elements of the axis that is cut; the better cut
/// comes first.
struct Grains {
  std::int64_t columns = 1;
  std::int64_t rows = 1;
};
std::vector<Cut> cuts_of(const OpCall& call, const PanelProductCall& product,
                         const Grains& grains) {
  std::vector<Cut> cuts;
  if (product.columns > grains.columns) cuts.push_back({product.column_axis, grains.columns});
  if (product.row_axis && product.images * product.rows > grains.rows * product.row_axis->rows)
    cuts.push_back({product.row_axis->axis, grains.rows});
  if (cuts.size() == 2 && half_us(call, product, cuts[1]) < half_us(call, product, cuts[0]))
    std::swap(cuts[0], cuts[1]);
  return cuts;
}

/// The way of a kernel that has make() and run() for some rows and columns.
template <class Product>
Way way_of(const OpCall& call, const PanelProductCall& product, const Grains& grains,
           const std::shared_ptr<Product>& kernel) {
  const CutRange rows{0, checked_mul(product.images, product.rows)};
  const CutRange columns{0, product.columns};
  const int column_axis = product.column_axis;
  const std::int64_t rows_of_one = product.row_axis ? product.row_axis->rows : 1;
  Way way;
  way.packed_inputs = {1};
  way.takes_pitch = true;
  way.cuts = cuts_of(call, product, grains);
  way.make = [=, output = call.outputs[0]](const Part& part) -> Kernel {
    kernel->make();
    CutRange own_rows = rows;
    CutRange own_columns = columns;
    if (part.count > 1) {
      const CutRange range = cut_range(output, part.cut, part.index, part.count);
      if (part.cut.axis == column_axis)
        own_columns = range;
      else
        own_rows = {range.begin * rows_of_one, range.end * rows_of_one};
    }
    return [=](const KernelArgs& args) { kernel->run(args, own_rows, own_columns); };
  };
  return way;
}

std::int64_t width_for(const PanelProductCall& product) {
  return panel_width(panel_shape(isa()), product.rows, product.columns);
}

std::shared_ptr<PanelProduct> panels_of(PanelProductCall product) {
  const std::int64_t width = width_for(product);
  return std::make_shared<PanelProduct>(std::move(product), width);
}

}  // namespace

Way prepare_panel_product(const OpCall& call, const PanelProductCall& product) {
  Way way = way_of(call, product, {.columns = width_for(product)}, panels_of(product));
  way.implementation = kPanels;
  return way;
}

std::optional<Way> prepare_strassen_product(const OpCall& call, const PanelProductCall& product) {
  if (!StrassenProduct::suits(product)) return std::nullopt;
  const auto kernel = std::make_shared<StrassenProduct>(product);
  Grains grains{.columns = kernel->pair_columns()};
  if (product.row_axis) grains.rows = kernel->grain_rows() / product.row_axis->rows;
  Way way = way_of(call, product, grains, kernel);
  way.implementation = kStrassen;
  way.scratch_bytes = kernel->scratch_bytes();
  return way;
}

Kernel make_panel_product(PanelProductCall product) {
  const CutRange rows{0, checked_mul(product.images, product.rows)};
  const CutRange columns{0, product.columns};
  const auto kernel = panels_of(std::move(product));
  kernel->make();
  return [=](const KernelArgs& args) { kernel->run(args, rows, columns); };
}

PanelRowsKernel make_panel_rows(PanelProductCall product) {
  const CutRange columns{0, product.columns};
  const auto kernel = panels_of(std::move(product));
  kernel->make();
  return [=](const KernelArgs& args, std::int64_t rows) { kernel->run(args, {0, rows}, columns); };
}

}  // namespace braid::cpu
