// Reads lists and options and checks them.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/label/settings.h"

#include <algorithm>
#include <map>
#include <set>

#include "registry/platform/platform.h"
#include "registry/text/suggestion.h"

namespace opledger {

std::string ListPath(const std::string& given, const std::string& framework,
                     const std::string& target_dtype) {
  if (!given.empty()) return given;
  return DataDirectory() + "/lists/" + framework + "/" + target_dtype + ".json";
}

bool Settings::ReadList(const std::string& framework, Diagnostics& diagnostics) {
  const std::string path = ListPath(options_.list, framework, options_.target_dtype);
  list_ =
      ReadWrittenList(DiskSource(options_.list.empty() ? DataDirectory() : "."), path, diagnostics);
  if (!list_) return false;
  if (DtypeName(list_->target_dtype) != options_.target_dtype) {
    return diagnostics.Error({.path = path},
                             std::string("this list is for ") + DtypeName(list_->target_dtype) +
                                 ", not " + options_.target_dtype,
                             std::string("give --target-dtype ") + DtypeName(list_->target_dtype));
  }
  if (list_->framework != framework) {
    return diagnostics.Error(
        {.path = path},
        "this list is for " + list_->framework + ", but the model's framework is " + framework,
        "give a list whose framework is " + framework);
  }
  list_->fp32_nodes.insert(list_->fp32_nodes.end(), options_.fp32_nodes.begin(),
                           options_.fp32_nodes.end());
  label_options_.list = &*list_;
  label_options_.opened = &options_.either_nodes;
  return CheckNodePolicies(diagnostics);
}

// Checks that no node has two policies, except for 'fp32', which overrides the others.
bool Settings::CheckNodePolicies(Diagnostics& diagnostics) const {
  std::map<std::string_view, const char*> fields;
  for (const NodePolicy& nodes : list_->NodePolicies()) {
    for (const std::string& name : *nodes.names) {
      const auto [place, added] = fields.emplace(name, nodes.field);
      if (added || place->second == nodes.field) continue;
      const JsonDocument& document = list_->document;
      const JsonValue* written = document.root.Find(nodes.field);
      Span span = document.root.span;
      for (std::size_t i = 0; written != nullptr && i < written->items.size(); ++i) {
        if (written->items[i].string == name) span = written->items[i].span;
      }
      return ErrorAt(
          document, span,
          "node '" + name + "' is in both '" + place->second + "' and '" + nodes.field + "'",
          "name it in one of them", diagnostics);
    }
  }
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
  const PrecisionList& list = settings.list();
  std::vector<NodePolicy> given = list.NodePolicies();
  given.push_back({"fp32_nodes", Policy::kFp32, &list.fp32_nodes});
  if (std::all_of(given.begin(), given.end(),
                  [](const NodePolicy& each) { return each.names->empty(); })) {
    return;
  }
  std::set<std::string> names;
  for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
    names.insert(graph.NameOf(static_cast<NodeId>(id)));
  }
  for (const NodePolicy& nodes : given) {
    for (const std::string& name : *nodes.names) {
      if (names.count(name) != 0) continue;
      diagnostics.Warning(
          {.path = list.path},
          std::string("'") + nodes.field + "' names '" + name + "', which the model does not have",
          "the list may be for another model: `opledger tune` writes one for this model");
    }
  }
}

void CheckKeptBorder(const Settings& settings, const Graph& graph, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const auto* border : {&graph.scopes[0].inputs, &graph.scopes[0].outputs}) {
    for (const ValueId value : *border) {
      if (value != kNone) known.emplace_back(graph.values[value].name);
    }
  }
  for (const std::string& name : settings.options().keep_io) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string nearest = DidYouMean(name, known);
    diagnostics.Error({.path = settings.options().model},
                      "--keep-io: the model has no input or output '" + name + "'",
                      nearest.empty() ? "it has: " + Join(known, ", ") : nearest);
  }
}

// Reports operator names that neither the list nor the model has, which must be mistakes.
void CheckOperatorNames(const Settings& settings, const Graph& graph, Diagnostics& diagnostics) {
  const ConvertOptions& options = settings.options();
  const std::pair<const char*, const std::vector<std::string>*> given[] = {
      {"--target-ops", &options.target_ops},
      {"--fp32-ops", &options.fp32_ops},
      {"--widest-ops", &options.widest_ops},
  };
  std::set<std::string> known;
  for (const auto* entries : {&settings.list().entries, &settings.list().inherited}) {
    for (const ListEntry& entry : *entries) known.insert(entry.op);
  }
  for (const Node& node : graph.nodes) known.insert(QualifiedName(node.domain, node.op));
  for (const auto& [option, names] : given) {
    for (const std::string& name : *names) {
      if (known.count(name) != 0) continue;
      const std::string nearest = DidYouMean(name, {known.begin(), known.end()});
      diagnostics.Error(
          {},
          std::string(option) + " names '" + name +
              "', an operator that neither the list nor the model has",
          nearest.empty() ? "`opledger inspect` shows the model's operators" : nearest);
    }
  }
}

void WarnOfIdlePatterns(const Settings& settings, const Graph& graph, Diagnostics& diagnostics) {
  for (const std::string& expression : settings.options().exclude) {
    NamePatterns pattern;
    bool found = !pattern.Add(expression);
    for (NodeId id = 0; !found && id < static_cast<NodeId>(graph.nodes.size()); ++id) {
      found = pattern.Match(graph.NameOf(id));
    }
    if (found) continue;
    diagnostics.Warning(
        {.path = settings.options().model}, "--exclude '" + expression + "' matches no node",
        "an unnamed node has the name of its first output; --report shows the names");
  }
}

// Returns nodes of operators without a policy or signature, by operator.
std::map<std::string, std::vector<NodeId>> NodesWithoutPolicy(
    const Graph& graph, const std::vector<NodeLabel>& labels) {
  std::map<std::string, std::vector<NodeId>> nodes;
  for (NodeId id = 0; id < static_cast<NodeId>(labels.size()); ++id) {
    const LabelRule rule = labels[id].rule;
    if (rule != LabelRule::kUnlisted && rule != LabelRule::kUnknown && rule != LabelRule::kUntyped)
      continue;
    const Node& node = graph.nodes[id];
    nodes[QualifiedName(node.domain, node.op)].push_back(id);
  }
  return nodes;
}

// "node 'a'", "2 nodes, such as 'a'".
std::string NodeCount(const Graph& graph, const std::vector<NodeId>& nodes) {
  const std::string first = "'" + graph.NameOf(nodes.front()) + "'";
  return nodes.size() == 1 ? "node " + first
                           : std::to_string(nodes.size()) + " nodes, such as " + first;
}

}  // namespace

bool CheckUnlisted(const Settings& settings, const Graph& graph,
                   const std::vector<NodeLabel>& labels, Diagnostics& diagnostics) {
  WarnOfUnknownNodes(settings, graph, diagnostics);
  WarnOfIdlePatterns(settings, graph, diagnostics);
  CheckOperatorNames(settings, graph, diagnostics);
  CheckKeptBorder(settings, graph, diagnostics);
  const std::string& means = settings.options().unlisted;
  if (means == "ignore") return !diagnostics.has_errors();
  for (const auto& [op, nodes] : NodesWithoutPolicy(graph, labels)) {
    const NodeId first = nodes.front();
    const Node& node = graph.nodes[first];
    const std::string which = "operator '" + op + "' (" + NodeCount(graph, nodes) + ") ";
    const std::string said = labels[first].rule == LabelRule::kUntyped
                                 ? which + "has no known types in opset " +
                                       std::to_string(graph.OpsetIn(node.scope, node.domain))
                                 : which + "is not in the list";
    const std::string hint =
        labels[first].rule == LabelRule::kUntyped
            ? "it keeps its types, and so do its readers; raise the model's opset with --opset, or "
              "accept that with --unlisted ignore"
            : "it keeps its types; give it a policy in " + PortablePath(settings.list().path) +
                  ", or with --target-ops, --fp32-ops or --widest-ops";
    if (means == "error") diagnostics.Error({.path = settings.options().model}, said, hint);
    if (means == "warn") diagnostics.Warning({.path = settings.options().model}, said, hint);
  }
  return !diagnostics.has_errors();
}

std::string PortablePath(const std::string& path) {
  const std::string shipped = DataDirectory() + "/";
  return path.starts_with(shipped) ? "share/opledger/" + path.substr(shipped.size()) : path;
}

}  // namespace opledger
