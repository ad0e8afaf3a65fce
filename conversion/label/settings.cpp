// Lists and options.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/label/settings.h"

#include <map>
#include <set>

#include "registry/platform/platform.h"

namespace opledger {

std::string ListPath(const std::string& given, const std::string& framework,
                     const std::string& target_dtype) {
  if (!given.empty()) return given;
  return DataDirectory() + "/lists/" + framework + "/" + target_dtype + ".json";
}

bool Settings::ReadList(const std::string& framework, Diagnostics& diagnostics) {
  const std::string path = ListPath(options_.list, framework, options_.target_dtype);
  list_ = ReadPrecisionList(path, options_.list.empty() ? DataDirectory() : ".", diagnostics);
  if (!list_) return false;
  if (DtypeName(list_->target_dtype) != options_.target_dtype) {
    return diagnostics.Error({.path = path},
                             std::string("this list is for ") + DtypeName(list_->target_dtype) +
                                 ", not " + options_.target_dtype,
                             std::string("give --target-dtype ") + DtypeName(list_->target_dtype));
  }
  list_->fp32_nodes.insert(list_->fp32_nodes.end(), options_.fp32_nodes.begin(),
                           options_.fp32_nodes.end());
  label_options_.list = &*list_;
  return true;
}

bool Settings::AddPolicies(const std::vector<std::string>& operators, Policy policy,
                           Diagnostics& diagnostics) {
  for (const std::string& op : operators) {
    const auto [place, added] = label_options_.policies.emplace(op, policy);
    if (added || place->second == policy) continue;
    return diagnostics.Error({}, "'" + op + "' has two policies",
                             "name it in one of --target-ops, --fp32-ops and --widest-ops");
  }
  return true;
}

bool Settings::ReadPatterns(Diagnostics& diagnostics) {
  for (const std::string& pattern : options_.exclude) {
    if (exclude_.Add(pattern)) continue;
    return diagnostics.Error({}, "'" + pattern + "' is not a regular expression",
                             "give --exclude an expression in RE2's syntax (no backreferences, no "
                             "lookaround), such as '^/encoder/'");
  }
  label_options_.exclude = &exclude_;
  return true;
}

bool Settings::ReadProfile(const std::string& framework, Diagnostics& diagnostics) {
  if (options_.profile.empty()) return true;
  profile_ = KernelProfile::Read(options_.profile, framework, diagnostics);
  if (profile_) label_options_.profile = &*profile_;
  return profile_.has_value();
}

bool Settings::Read(const std::string& framework, Diagnostics& diagnostics) {
  return ReadPatterns(diagnostics) && ReadList(framework, diagnostics) &&
         ReadProfile(framework, diagnostics) &&
         AddPolicies(options_.target_ops, Policy::kTarget, diagnostics) &&
         AddPolicies(options_.fp32_ops, Policy::kFp32, diagnostics) &&
         AddPolicies(options_.widest_ops, Policy::kWidest, diagnostics);
}

namespace {

void WarnOfUnknownNodes(const Settings& settings, const Graph& graph, Diagnostics& diagnostics) {
  if (settings.list().fp32_nodes.empty()) return;
  std::set<std::string> names;
  for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
    names.insert(graph.NameOf(static_cast<NodeId>(id)));
  }
  for (const std::string& name : settings.list().fp32_nodes) {
    if (names.count(name) != 0) continue;
    diagnostics.Warning(
        {.path = settings.list().path},
        "'fp32_nodes' names '" + name + "', which the model does not have",
        "the list may be for another model: `opledger tune` writes one for this model");
  }
}

}  // namespace

bool CheckUnlisted(const Settings& settings, const Graph& graph,
                   const std::vector<NodeLabel>& labels, Diagnostics& diagnostics) {
  WarnOfUnknownNodes(settings, graph, diagnostics);
  const std::string& unlisted_means = settings.options().unlisted;
  std::map<std::string, int> unlisted;
  for (std::size_t id = 0; id < labels.size(); ++id) {
    if (labels[id].rule == "unlisted" || labels[id].rule == "unknown") {
      const Node& node = graph.nodes[id];
      ++unlisted[QualifiedName(node.domain, node.op)];
    }
  }
  if (unlisted_means == "ignore") return true;
  for (const auto& [op, count] : unlisted) {
    const std::string message = "operator '" + op + "' (" + std::to_string(count) +
                                (count == 1 ? " node" : " nodes") + ") is not in the list";
    const std::string hint = "it keeps its types; give it a policy in " + settings.list().path +
                             ", or with --target-ops, --fp32-ops or --widest-ops";
    if (unlisted_means == "error")
      diagnostics.Error({.path = settings.options().model}, message, hint);
    if (unlisted_means == "warn")
      diagnostics.Warning({.path = settings.options().model}, message, hint);
  }
  return !diagnostics.has_errors();
}

}  // namespace opledger
