#pragma once

#include "graph/edit.h"
#include "graph/query.h"

namespace braid {

/// A host is an operator with an epilogue (ops/shared/epilogue.h): Conv, Gemm or MatMul. It can
/// still take something in if its result goes to one place only and nothing was done to it yet.
///
/// The node that makes `value` if it is a host without activation whose result has that single use;
/// invalid otherwise.
NodeId open_host(const Graph& graph, ValueId value);
bool is_host(const Node& node);
bool has_activation(const Node& node);

/// A copy of a host to be changed and added: no outputs, and room for all inputs of the epilogue.
Node copy_host(const Node& host);
/// Takes off absent inputs at the end.
void trim_inputs(Node& node);

}  // namespace braid
