// The settings of a conversion: its list and the options above it, read and checked. Of no format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conversion/label/label.h"
#include "conversion/label/options.h"

namespace opledger {

// The list that an option names; of none, the shipped one.
std::string ListPath(const std::string& given, const std::string& framework,
                     const std::string& target_dtype);

// A path below the folder of shipped files as it is everywhere: "share/opledger/lists/...".
std::string PortablePath(const std::string& path);

class Settings {
 public:
  explicit Settings(const ConvertOptions& options) : options_(options) {}
  Settings(const Settings&) = delete;  // the label options point into it
  Settings& operator=(const Settings&) = delete;

  // The list is by default the one shipped for `framework`. False, with an error: there is none,
  // or it or an option is not as it should be.
  bool Read(const std::string& framework, Diagnostics& diagnostics);

  const ConvertOptions& options() const { return options_; }
  const PrecisionList& list() const { return *list_; }
  Dtype target() const { return list_->target_dtype; }
  const LabelOptions& label_options() const { return label_options_; }

 private:
  bool ReadList(const std::string& framework, Diagnostics& diagnostics);
  bool CheckNodePolicies(Diagnostics& diagnostics) const;
  bool ReadPatterns(Diagnostics& diagnostics);
  bool ReadProfile(const std::string& framework, Diagnostics& diagnostics);
  bool AddPolicies(const std::vector<std::string>& operators, Policy policy,
                   Diagnostics& diagnostics);

  const ConvertOptions& options_;
  std::optional<PrecisionList> list_;
  std::optional<KernelProfile> profile_;
  NamePatterns exclude_;
  LabelOptions label_options_;
};

// Says which operators are in no list, as --unlisted has it, and which nodes that the list names
// the model does not have. False: that is an error.
bool CheckUnlisted(const Settings& settings, const Graph& graph,
                   const std::vector<NodeLabel>& labels, Diagnostics& diagnostics);

}  // namespace opledger
