#pragma once

#include <cstdint>

namespace braid::zoo {

class Layers;

/// Each adds the nodes and outputs of one model behind the inputs that its row in zoo.cpp names.
void inception_v3(Layers& net);
void resnet_50(Layers& net);
void resnext_50(Layers& net);
void nasnet_a_large(Layers& net);
void nasnet_a_mobile(Layers& net);
void bert_base(Layers& net);
void rnntc_sru(Layers& net);
void googlenet(Layers& net);
void squeezenet(Layers& net);
void deepfm(Layers& net);
void t5_small_encoder(Layers& net);

/// Time steps of rnntc_sru, one input each.
inline constexpr int kSruSteps = 20;
/// Fields of deepfm, one input each, and the numbers that it reads besides.
inline constexpr int kFields = 32;
inline constexpr std::int64_t kNumbers = 16;

}  // namespace braid::zoo
