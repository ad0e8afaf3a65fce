// The options of a conversion, as on the command line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace opledger {

struct ConvertOptions {
  std::string model;
  std::string
      data_root;  // --data-root: links of the model's data are followed within; may be empty
  std::string output;
  std::string target_dtype = "float16";
  std::string list;                       // a file; empty: the shipped one
  std::vector<std::string> fp32_nodes;    // names of nodes, as if the list had them
  std::vector<std::string> either_nodes;  // likewise, but what must be low stays so
  std::vector<std::string> target_ops;
  std::vector<std::string> fp32_ops;
  std::vector<std::string> widest_ops;
  std::vector<std::string> exclude;        // regular expressions over names of nodes
  std::string io_types = "keep";           // or "low"
  std::vector<std::string> keep_io;        // of io_types "low": those that keep their types
  std::string unlisted = "warn";           // or "error", "ignore"
  std::string cost = "casts";              // or "bytes"
  std::vector<std::string> input_shapes;   // NAME=D,D
  std::vector<std::string> input_ranges;   // NAME=LO,HI
  std::string hazards = "raise";           // or "report"
  std::string quantized_islands = "keep";  // or "convert"
  std::string small_constants = "keep";    // or "clamp"
  bool taint = false;                      // free nodes downstream of float32 ones stay float32
  std::string profile;                     // a file or a shipped name; empty: any kernel is there
  std::uint64_t min_elements = 0;          // of the parameters of a node that is to be low
  bool inline_functions = false;           // each call of a function of the model becomes its nodes
  bool merge_duplicates = false;           // of nodes that compute the same, one stays
  bool fuse = false;                       // one node for a chain that is an operator's
  bool storage_only = false;               // weights low, everything computed in float32
  std::string opset = "auto";              // or "keep", or a number
  bool strict = false;                     // a model of which nothing runs low: exit status 1
  bool dry_run = false;
  bool in_place = false;             // the output may be the model
  std::string sidecar;               // a file for `opledger revert`; empty: none
  std::vector<std::string> reports;  // FILE.json, FILE.html
  std::string explain;               // a node; empty: none
  bool verify = false;               // then run both, and hold them against each other
  std::vector<std::string> inputs;   // of verify: NAME=FILE.npy; those left out are random
  std::string inputs_from;           // of verify: a folder of folders of NAME.npy; empty: one run
  std::string max_error;             // of verify: a number
  std::string time_limit;            // of verify: seconds; empty: none
  // Of MXNet's models.
  std::string params;                     // the .params file; empty: none
  bool cast_params_offline = true;        // else casts are put before parameters
  std::vector<std::string> input_dtypes;  // NAME=DTYPE
  std::vector<std::string> param_dtypes;  // likewise

  bool RaisesSmall() const { return small_constants == "clamp"; }
};

}  // namespace opledger
