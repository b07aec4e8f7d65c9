#pragma once

#include <map>
#include <string>
#include <string_view>

#include "graph/graph.h"
#include "plan/plan.h"

namespace braid {

/// The JSON form of a Plan, a step and a value per line, to be read, compared and edited:
///
///     {
///       "format": "braid-plan",
///       "version": 1,
///       "graph": "7ac21f…",                     32 digits: the graph's hash without weights
///       "inputs": {"x":"f32[1,3,8,8]"},         to tell what differs; may be left out
///       "device": "cpu",
///       "scheduler": "braid",
///       "arena_bytes": 3072,
///       "streams": [
///         [
///           {"node":"a","by":"panels"},        the implementation, if the graph is lowered
///           {"node":"b","part":0,"parts":2,"axis":2,"grain":1,"scratch":1024,"by":"panels"}
///         ],
///         [
///           {"node":"b","part":1,"parts":2,"axis":2,"grain":1,"waits":["a"],"launch":1},
///           {"node":"c","waits":[{"node":"b","part":0}]}
///         ]
///       ],
///       "values": {
///         "a": {"offset":0},
///         "b": {"offset":1024,"strides":[4096,64,4]}
///       }
///     }
///
/// A node goes by the name of its first output, a step that is waited for by its node and part, so
/// steps may be moved without touching the waits. A name that starts with "#" or is not UTF-8
/// stands as "#" and the value's id.
std::string to_json(const Graph& graph, const Plan& plan);

/// What a Plan says of how nodes are run, by the names of nodes: a graph has to be lowered so
/// before the Plan belongs to it. Throws Model.
std::map<std::string, std::string> implementations_in_plan(std::string_view text);

/// Reads the JSON form of a Plan for `device` (empty: for any) and checks it with verify(). Throws
/// Model, saying where ("streams[1][3].waits[0]: …") or, for a Plan of another device or graph,
/// what differs; Quota for what is too large.
Plan plan_from_json(const Graph& graph, std::string_view text, std::string_view device = {});

/// Reads the JSON form of a Plan that was made for another device on which the same nodes run, and
/// makes it one for `device`: steps, streams, waits and launches stay as they are; memory is laid
/// out anew, and the graph is this one. Throws like plan_from_json().
Plan plan_for_another_device(const Graph& graph, std::string_view text, std::string_view device);

}  // namespace braid
