// Maps values between MXNet's loops and branches and their subgraphs, using the positions in
// attributes. Source: src/operator/control_flow.cc of MXNet.
//   _foreach     body: in_data_locs, in_state_locs, remain_locs; returns data, then states
//   _while_loop  cond: cond_input_locs; body: func_input_locs, func_var_locs; returns data, then
//                variables
//   _cond        cond, then, else: *_input_locs
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/model/graph/graph.h"

namespace opledger {

// An input of a node that is passed to an input of one of its subgraphs.
struct MxnetLink {
  std::size_t input = 0;
  ScopeId scope = kNone;
  std::size_t scope_input = 0;
};
// An output of a node and the outputs of its subgraphs that produce it.
struct MxnetResult {
  std::size_t output = 0;
  struct Place {
    ScopeId scope = kNone;
    std::size_t output = 0;
  };
  std::vector<Place> from;
};
// An input of a node that a loop carries between iterations, and the output with its last value.
struct MxnetCarried {
  std::size_t input = 0;
  std::size_t output = 0;
};

// Empty for other operators and if positions do not fit.
std::vector<MxnetLink> MxnetLinks(const Graph& graph, const Node& node);
std::vector<MxnetResult> MxnetResults(const Graph& graph, const Node& node);
std::vector<MxnetCarried> MxnetCarriedValues(const Node& node);

}  // namespace opledger
