// How MXNet's loops and branches share values with their subgraphs: by positions, which attributes
// list. src/operator/control_flow.cc of MXNet is the source.
//   _foreach     body: in_data_locs, in_state_locs, remain_locs; gives data, then states
//   _while_loop  cond: cond_input_locs; body: func_input_locs, func_var_locs; gives data, then
//                variables
//   _cond        cond, then, else: *_input_locs
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/model/graph/graph.h"

namespace opledger {

// An input of a node that an input of a subgraph of it is.
struct MxnetLink {
  std::size_t input = 0;
  ScopeId scope = kNone;
  std::size_t scope_input = 0;
};
// What a node gives is what these outputs of its subgraphs are.
struct MxnetResult {
  std::size_t output = 0;
  struct Place {
    ScopeId scope = kNone;
    std::size_t output = 0;
  };
  std::vector<Place> from;
};
// An input of a node that a loop hands on from step to step, and what it becomes.
struct MxnetCarried {
  std::size_t input = 0;
  std::size_t output = 0;
};

// None for anything but these operators, and where positions do not fit.
std::vector<MxnetLink> MxnetLinks(const Graph& graph, const Node& node);
std::vector<MxnetResult> MxnetResults(const Graph& graph, const Node& node);
std::vector<MxnetCarried> MxnetCarriedValues(const Node& node);

}  // namespace opledger
