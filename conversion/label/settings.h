// Reads and checks the settings of a conversion: its list and the options that override it.
// Independent of the format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conversion/label/label.h"
#include "conversion/label/options.h"

namespace opledger {

// Returns the list that an option names, or the shipped one if `given` is empty.
std::string ListPath(const std::string& given, const std::string& framework,
                     const std::string& target_dtype);

// Returns a path in the folder of shipped files in its portable form: "share/opledger/lists/...".
std::string PortablePath(const std::string& path);

class Settings {
 public:
  explicit Settings(const ConvertOptions& options) : options_(options) {}
  Settings(const Settings&) = delete;  // the label options point into it
  Settings& operator=(const Settings&) = delete;

  // Reads the list, by default the one shipped for `framework`. Returns false, with an error, if it
  // does not exist or it or an option is invalid.
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

// Reports operators that are not in the list, as --unlisted says, and nodes that the list names but
// the model lacks. Returns false if that is an error.
bool CheckUnlisted(const Settings& settings, const Graph& graph,
                   const std::vector<NodeLabel>& labels, Diagnostics& diagnostics);

}  // namespace opledger
