#pragma once

namespace braid::sim {

/// A row of draws: models that differ from the nominal one by as much as it may be wrong. Draw 0 is
/// the nominal model itself. Draws that have helped to find or to choose something are never
/// reported. Draws 1 to 16 were reported while the search was being made; they are used for nothing
/// now.
struct Draws {
  int first = 0;
  int count = 0;

  int end() const { return first + count; }
  bool has(int draw) const { return draw >= first && draw < end(); }
};

inline constexpr Draws kChoiceDraws = {17, 16};     ///< choose between Plans that were found
inline constexpr Draws kSearchDraws = {33, 8};      ///< help to find Plans of a graph
inline constexpr Draws kGraphDraws = {41, 16};      ///< help to find graphs
inline constexpr Draws kReportedDraws = {101, 16};  ///< are what is reported

}  // namespace braid::sim
