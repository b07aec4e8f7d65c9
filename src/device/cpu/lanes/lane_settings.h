#pragma once

namespace braid::cpu {

/// While it lives, the calling thread flushes denormal numbers to zero (they slow kernels tenfold)
/// and oneDNN uses this thread only. The end restores what the caller had.
class LaneSettings {
 public:
  LaneSettings();
  ~LaneSettings();
  LaneSettings(const LaneSettings&) = delete;
  LaneSettings& operator=(const LaneSettings&) = delete;

 private:
  unsigned control_;
  int threads_;
};

}  // namespace braid::cpu
