#pragma once

#include <string>

#include "onnx/model_header.h"
#include "onnx/open_dimensions.h"
#include "onnx/proto.h"

namespace braid::onnx {

/// Says of a model to be written what the header says, except what is said of inputs, outputs and
/// files.
void write_header(const ModelHeader& header, proto::ModelProto& to);
/// Adds a pair to a model's metadata, or replaces the value of its key.
void set_metadata(const std::string& key, const std::string& value, proto::ModelProto& to);

/// Opens dimensions of a model to be written. What it says of the types between inputs and outputs
/// goes, since it would hold for one size only.
void leave_open(const OpenDimensions& open, proto::GraphProto& to);

}  // namespace braid::onnx
