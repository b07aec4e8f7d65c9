#pragma once

#include <vector>

#include "device/cpu/kernels/activation_step.h"
#include "device/cpu/kernels/kernel.h"
#include "device/cpu/kernels/packed_panels.h"
#include "device/cpu/kernels/panel_block.h"
#include "device/cpu/kernels/panel_depths.h"
#include "device/cpu/kernels/panel_product_call.h"

namespace braid::cpu {

/// A product in the manner of Goto and van de Geijn (docs/papers.md): loops around a block of sums
/// that stay in registers, so ordered that what the block reads stays in a cache.
///
///            columns                     for a depth       a few hundred elements of each row
///          +----+----+--+                  for rows          that fit the second-level cache
///        d |    |    |  | depth 0            for a panel       its part of the depth: first level
///        e +----+----+--+                      for a block       sums in registers
///        p |    |    |  | depth 1
///        t +----+----+--+                A block fetches what the next one reads: lines of the
///        h  panel panel panel            next panel, or the rows after its own.
class PanelProduct {
 public:
  /// With panels of that many columns.
  PanelProduct(PanelProductCall call, std::int64_t panel_width);

  const PanelProductCall& call() const { return call_; }
  const PackedPanels& panels() const { return panels_; }
  const ActivationStep& activation() const { return activation_; }

  /// Packs the matrix at the first call; threads may call it at once.
  void make();

  /// Some rows, counted through all images, of some columns, which begin at a panel.
  void run(const KernelArgs& args, CutRange rows, CutRange columns) const;

 private:
  struct Place {
    const KernelArgs& args;
    std::int64_t image;
    const Depth& depth;
    CutRange columns;
  };

  struct GroupPlace {
    const Place& place;
    const RowGroup& group;
    const RowGroup::Turn& turn;
    CutRange panel;
  };

  /// What is fetched while a panel is worked on: the next panel in the course of all its blocks, or
  /// the next rows in each.
  struct Fetching {
    const std::byte* panel = nullptr;  ///< null: rows
    std::int64_t panel_bytes = 0;
    FetchRate rate = FetchRate::Fast;
    std::int64_t fetched = 0;  ///< of the panel
  };

  float element(const std::byte* matrix, std::int64_t tap, std::int64_t channel,
                std::int64_t column) const;
  Fetching what_to_fetch(const Place& place, CutRange panel, std::int64_t blocks,
                         bool first_rows) const;
  std::int64_t rows_together(const Place& place) const;
  void run_depth(const Place& place, CutRange rows) const;
  void run_panel(const Place& place, CutRange rows, CutRange panel, bool first_rows) const;
  void run_group(const GroupPlace& at, PanelBlock block, CutRange rows, Fetching& fetching) const;
  void run_rows(const GroupPlace& at, RunPanelBlock run, PanelBlock block, CutRange rows) const;
  void find_pieces(const GroupPlace& at, CutRange rows, const float** pieces) const;
  template <class T>
  void find_rows(const GroupPlace& at, CutRange rows, T* first, std::int64_t pitch,
                 T** found) const;
  void activate(const float* sums, float* const* results, std::int64_t rows, std::int64_t width,
                std::int64_t pitch) const;

  PanelProductCall call_;
  const Isa isa_ = isa();
  const PanelShape& shape_;
  PackedPanels panels_;
  std::vector<RowGroup> groups_;
  ActivationStep activation_;  // Relu is done by blocks
};

}  // namespace braid::cpu
