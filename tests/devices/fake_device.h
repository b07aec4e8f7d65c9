#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "device/device.h"

namespace braid {

/// What a fake device does wrong, so that tests can show that it is noticed.
enum class Flaw {
  None,
  IgnoresWaits,    ///< steps begin although what they wait for has not ended
  LosesAPart,      ///< the last part of a cut node is never written
  LosesAnElement,  ///< the last element that a node makes is always 0
  LowersRejected,  ///< it rejects every Relu, and lowers it all the same
  RepeatsOutputs,  ///< a run gives the outputs of the run before it
  HidesAnEvent,    ///< traces lack their last event
  NeverRecovers,   ///< once a run has failed, all later ones of that Program fail
  RunsOnePlan,     ///< of Plans compiled together only the first is ever followed
};

struct FakeOptions {
  std::string name = "fake";
  int streams = 3;
  std::uint64_t seed = 1;  ///< decides in which order steps run, and what unwritten bytes hold
  Flaw flaw = Flaw::None;
};

/// A device for tests. It computes with `evaluate`, so its numbers are the reference's bit by bit,
/// and follows Plans to the letter: steps read and write bytes of an arena, in an order drawn from
/// all that the Plan's streams and waits allow. A Plan that may go wrong soon does. Its clock is
/// virtual: a step takes what the cost model says, and no real clock is read.
///
/// Lowered graphs are row-major, have every view that one arena can hold, and offer two cuts: by
/// rows of the first axis, and by pairs of the last.
std::unique_ptr<Device> make_fake_device(FakeOptions options = {});

}  // namespace braid
