#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "device/cpu/onednn/primitive_kernel.h"
#include "ops/call.h"
#include "ops/catalog.h"
#include "plan/plan.h"

namespace braid::cpu {
namespace {

/// Whether parts give the whole's bits if the implementation is given less at a time.
bool keeps_bits(std::string_view implementation, Fewer what) {
  // These choose kernels by the size of a product, and some of them add up several sums in one.
  if (implementation.starts_with("gemm:") || implementation.starts_with("x64:gemm:"))
    return what == Fewer::Products;
  // Blocks of channels change their size with everything else, and all taps are added up for one
  // block before the next.
  return !implementation.starts_with("brgconv:");
}

/// Finds cuts whose parts all run as the whole does.
class CutSearch {
 public:
  CutSearch(const OpCall& call, const UsePrimitive& use, std::string_view implementation)
      : call_(call), use_(use), implementation_(implementation) {}

  /// Adds the cut with as small a grain as it may have. Where that makes two parts uneven, a cut
  /// into two halves comes before it.
  void add(Cut cut) {
    const TensorType& output = call_.outputs[0];
    const std::int64_t unit = cut.grain;
    while (most_parts(output, cut) >= 2 && !works(cut)) cut.grain *= 2;
    if (most_parts(output, cut) < 2) return;
    const std::int64_t size = output.dims[static_cast<std::size_t>(cut.axis)];
    const Cut halves{cut.axis, (size + 2 * unit - 1) / (2 * unit) * unit};
    const CutRange first = cut_range(output, cut, 0, 2);
    if (first.end - first.begin > halves.grain && works(halves)) cuts_.push_back(halves);
    cuts_.push_back(cut);
  }

  const std::vector<Cut>& cuts() const { return cuts_; }
  /// The most scratch memory that a part needs.
  std::int64_t scratch_bytes() const { return scratch_bytes_; }

 private:
  /// Whether the parts run as the whole: tried on the largest and the smallest, at the rims and
  /// between two others, where a convolution reads more beyond its own rows.
  bool works(Cut cut) {
    std::int64_t bytes = 0;
    const auto most =
        static_cast<int>(std::min<std::int64_t>(most_parts(call_.outputs[0], cut), 64));
    for (const Part& part : {Part{cut, 0, 2}, Part{cut, 1, 2}, Part{cut, 1, std::min(3, most)},
                             Part{cut, 0, most}, Part{cut, most - 1, most}}) {
      auto of_part = use_(part);
      if (!of_part || of_part->desc.impl_info_str() != implementation_) return false;
      bytes = std::max(bytes, PrimitiveKernel(call_, std::move(*of_part)).scratch_bytes());
    }
    scratch_bytes_ = std::max(scratch_bytes_, bytes);
    return true;
  }

  const OpCall& call_;
  const UsePrimitive& use_;
  std::string_view implementation_;
  std::vector<Cut> cuts_;
  std::int64_t scratch_bytes_ = 0;
};

/// A node that is always run in pieces, whole or in parts: every grain of the cut is one.
struct Pieces {
  Cut cut;
  int count = 0;
  std::int64_t scratch_bytes = 0;  ///< the most that one needs

  Part piece(int i) const { return {cut, i, count}; }
};

/// A cut into pieces, fewer than two if there is too little work for more: to call a primitive
/// takes a few microseconds. The number is a power of two, so that as many lanes have equal shares.
Cut cut_into_pieces(const OpCall& call, Cut unit) {
  constexpr double flops_of_piece = 8e6;
  constexpr double most = 16;
  const double wanted = std::min(work(op_def(call.op), call).flops / flops_of_piece, most);
  const auto count = static_cast<std::int64_t>(std::bit_ceil(static_cast<unsigned>(wanted)));
  const std::int64_t units =
      ceil_div(call.outputs[0].dims[static_cast<std::size_t>(unit.axis)], unit.grain);
  return {unit.axis, ceil_div(units, count) * unit.grain};
}

/// The pieces of a node; nothing if there would be only one, or if one of them cannot be run or
/// packs other constants than the whole.
std::optional<Pieces> find_pieces(const OpCall& call, const UsePrimitive& use, Cut unit,
                                  const std::vector<std::size_t>& packed_inputs) {
  Pieces pieces{.cut = cut_into_pieces(call, unit)};
  pieces.count = static_cast<int>(most_parts(call.outputs[0], pieces.cut));
  if (pieces.count < 2) return std::nullopt;
  for (int i = 0; i < pieces.count; ++i) {
    auto of_piece = use(pieces.piece(i));
    if (!of_piece) return std::nullopt;
    const PrimitiveKernel kernel(call, std::move(*of_piece));
    if (kernel.packed_inputs() != packed_inputs) return std::nullopt;
    pieces.scratch_bytes = std::max(pieces.scratch_bytes, kernel.scratch_bytes());
  }
  return pieces;
}

/// Makes the kernels of a node or of its parts, while the graph lives.
class PrimitiveMaker {
 public:
  PrimitiveMaker(OpCall call, UsePrimitive use) : call_(std::move(call)), use_(std::move(use)) {}

  /// The kernel of a part, run by the implementation of the whole.
  Kernel part(const Part& part, std::string_view implementation, std::int64_t scratch_bytes) {
    return calling_onednn([&]() -> Kernel {
      auto use = use_(part);
      if (!use || use->desc.impl_info_str() != implementation)
        raise(ErrorKind::Device, fmt::format("oneDNN does not run {} cut into {} parts as it runs "
                                             "the whole: plan with fewer",
                                             call_.op, part.count));
      const auto kernel = made(std::move(*use), scratch_bytes);
      return [kernel](const KernelArgs& args) { calling_onednn([&] { kernel->run(args); }); };
    });
  }

  /// The kernel of a part that runs its pieces, one after the other.
  Kernel pieces(const Part& part, const Pieces& pieces) {
    return calling_onednn([&]() -> Kernel {
      const TensorType& output = call_.outputs[0];
      CutRange range{0, output.dims[static_cast<std::size_t>(pieces.cut.axis)]};
      if (part.count > 1) range = cut_range(output, part.cut, part.index, part.count);
      std::vector<std::shared_ptr<PrimitiveKernel>> kernels;
      for (std::int64_t at = range.begin; at < range.end; at += pieces.cut.grain) {
        auto use = use_(pieces.piece(static_cast<int>(at / pieces.cut.grain)));
        require(use.has_value(), "a piece can be run at any time");
        kernels.push_back(made(std::move(*use), pieces.scratch_bytes));
      }
      return [kernels](const KernelArgs& args) {
        calling_onednn([&] {
          for (const auto& kernel : kernels) kernel->run(args);
        });
      };
    });
  }

 private:
  std::shared_ptr<PrimitiveKernel> made(PrimitiveUse use, std::int64_t scratch_bytes) {
    auto kernel = std::make_shared<PrimitiveKernel>(call_, std::move(use));
    require(kernel->scratch_bytes() <= scratch_bytes,
            "a part needs no more scratch than the largest");
    kernel->make(packed_);
    return kernel;
  }

  OpCall call_;
  UsePrimitive use_;
  PackedConstants packed_;
};

}  // namespace

std::vector<CutCandidate> candidates(const std::vector<Cut>& cuts) {
  std::vector<CutCandidate> result;
  for (const Cut& cut : cuts) result.push_back({cut});
  return result;
}

std::optional<Way> prepare_primitive(const OpCall& call, UsePrimitive use,
                                     const std::vector<CutCandidate>& candidates,
                                     std::string_view suffix) {
  return calling_onednn([&]() -> std::optional<Way> {
    auto whole = use({});
    if (!whole) return std::nullopt;
    const std::string implementation = whole->desc.impl_info_str();
    Way way;
    way.implementation =
        fmt::format("onednn:{}{}{}", implementation, suffix.empty() ? "" : ":", suffix);
    const PrimitiveKernel kernel(call, std::move(*whole));
    way.packed_inputs = kernel.packed_inputs();
    const auto maker = std::make_shared<PrimitiveMaker>(call, use);

    CutSearch search(call, use, implementation);
    std::optional<Pieces> pieces;
    for (const CutCandidate& candidate : candidates) {
      if (keeps_bits(implementation, candidate.what))
        search.add(candidate.cut);
      else if (!pieces)
        pieces = find_pieces(call, use, candidate.cut, way.packed_inputs);
    }
    if (search.cuts().empty() && pieces) {
      way.scratch_bytes = pieces->scratch_bytes;
      way.cuts = {pieces->cut};
      way.make = [maker, pieces = *pieces](const Part& part) {
        return maker->pieces(part, pieces);
      };
      return way;
    }
    way.cuts = search.cuts();
    way.scratch_bytes = std::max(kernel.scratch_bytes(), search.scratch_bytes());
    way.make = [maker, implementation, bytes = way.scratch_bytes](const Part& part) {
      return maker->part(part, implementation, bytes);
    };
    return way;
  });
}

}  // namespace braid::cpu
