#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/quotas.h"
#include "tensor/npy.h"

namespace braid::cli {

/// Tensors from files: a .npz archive, a .npy or ONNX .pb file (NAME:FILE says for which value; a
/// .pb may carry its name), or a folder with input_0.pb, input_1.pb, … (`stem` "input") in the
/// order of `names`.
std::map<std::string, Tensor> load_tensors(const std::vector<std::string>& files,
                                           const std::vector<std::string>& names,
                                           const std::string& stem, const Quotas& quotas);

/// Writes by the ending of `file`: .npz holds all, .npy and .pb one; anything else is a folder of
/// output_0.pb, ….
void save_tensors(const std::string& file, const std::vector<NamedTensor>& tensors,
                  const std::string& stem);

/// The name and type of an input.
struct ValueType {
  std::string name;
  TensorType type;
};

struct RandomInputs {
  std::optional<std::uint64_t> seed;  ///< nothing: none was asked for; 0 is taken
  std::vector<std::string> ranges;    ///< "[low,high]" for all, "name:[low,high]" for one

  std::uint64_t number() const { return seed.value_or(0); }
};

/// Throws Model, listing the names, if a tensor is given for a value that is not among them.
void check_known(const std::map<std::string, Tensor>& given, const std::vector<std::string>& names);

/// A tensor for each of the values. Reals are uniform in [-1, 1) and whole numbers in {0, 1} unless
/// a range says otherwise; those in `given` are taken from there.
std::vector<Tensor> make_inputs(const std::vector<ValueType>& values,
                                const std::map<std::string, Tensor>& given,
                                const RandomInputs& random);

/// The input that a range is for; empty: all.
std::string input_of_range(const std::string& range);

/// Throws Usage, listing the names, if a range is for a value that is not among them.
void check_ranges(const RandomInputs& random, const std::vector<std::string>& names);

}  // namespace braid::cli
