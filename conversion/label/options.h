// The options of a conversion, as on the command line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace opledger {

struct ConvertOptions {
  std::string model;
  std::string data_root;  // --data-root: follow links to external data within it; may be empty
  std::string output;
  std::string target_dtype = "float16";
  std::string list;                       // a file; empty: the shipped list
  std::vector<std::string> fp32_nodes;    // names of nodes, added to the list's
  std::vector<std::string> either_nodes;  // likewise, but nodes that must be low stay so
  std::vector<std::string> target_ops;
  std::vector<std::string> fp32_ops;
  std::vector<std::string> widest_ops;
  std::vector<std::string> exclude;        // regular expressions that match names of nodes
  std::string io_types = "keep";           // or "low"
  std::vector<std::string> keep_io;        // with io_types "low": those that keep their types
  std::string unlisted = "warn";           // or "error", "ignore"
  std::string cost = "casts";              // or "bytes"
  std::vector<std::string> input_shapes;   // NAME=D,D
  std::vector<std::string> input_ranges;   // NAME=LO,HI
  std::string hazards = "raise";           // or "report"
  std::string quantized_islands = "keep";  // or "convert"
  std::string small_constants = "keep";    // or "clamp"
  bool taint = false;                      // free nodes downstream of float32 ones stay float32
  std::string profile;             // a file or a shipped name; empty: assume every kernel exists
  std::uint64_t min_elements = 0;  // minimum size of the parameters of a node that must be low
  bool inline_functions = false;   // replace each call of a model function by its nodes
  bool merge_duplicates = false;   // merge nodes that compute the same
  bool fuse = false;               // replace chains of nodes by the operator they compute
  bool storage_only = false;       // store weights low, compute everything in float32
  std::string opset = "auto";      // or "keep", or a number
  bool strict = false;             // exit status 1 if no node runs low
  bool dry_run = false;
  bool in_place = false;             // the output may be the model
  std::string sidecar;               // a file for `opledger revert`; empty: none
  std::vector<std::string> reports;  // FILE.json, FILE.html
  std::string explain;               // a node; empty: none
  bool verify = false;               // run both models and compare the outputs
  std::vector<std::string> inputs;   // for verify: NAME=FILE.npy; the others are random
  std::string inputs_from;           // for verify: a folder of folders of NAME.npy; empty: one run
  std::string max_error;             // for verify: a number
  std::string time_limit;            // for verify: seconds; empty: no limit
  // MXNet only.
  std::string params;                     // the .params file; empty: none
  bool cast_params_offline = true;        // otherwise parameters are cast at run time
  std::vector<std::string> input_dtypes;  // NAME=DTYPE
  std::vector<std::string> param_dtypes;  // NAME=DTYPE

  bool RaisesSmall() const { return small_constants == "clamp"; }
};

}  // namespace opledger
