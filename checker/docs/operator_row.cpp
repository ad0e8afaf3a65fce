// Renders a row: name, policy in each list, reasons, kernels and source, with the rest in a
// <details> below the reasons. Rows are laid out as boxes with table roles, so that invisible ones
// cost nothing.
// SPDX-License-Identifier: Apache-2.0
#include "checker/docs/operator_row.h"

#include <algorithm>

#include "checker/docs/entry_words.h"
#include "checker/terminal/shell_quote.h"
#include "registry/text/html.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxInputsInCell = 4;  // shown without opening the details
constexpr std::size_t kMaxSites = 50;        // shown per operator
constexpr std::size_t kMaxAliases = 3;       // shown without opening the details

constexpr std::size_t kMaxAttribute = 300;  // bytes of a value
constexpr std::size_t kMaxDescription = 600;

// Returns the text up to the first empty line, as one line.
std::string FirstParagraph(std::string_view text) {
  text = Trimmed(text, " \t\r\n");
  std::string line;
  for (const char c : text.substr(0, text.find("\n\n"))) {
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!blank) {
      line += c;
    } else if (line.back() != ' ') {
      line += ' ';
    }
  }
  return line;
}

// Cuts at a character boundary.
std::string Cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) --most;
  return text.substr(0, most) + "\u2026";
}

std::string Code(const std::string& text) { return "<code>" + HtmlText(text) + "</code>"; }

std::string Cell(const std::string& classes, const std::string& label, const std::string& html) {
  return "<td role=\"cell\" class=\"" + classes + "\"" +
         (label.empty() ? "" : " data-label=\"" + HtmlText(label) + "\"") + ">" + html + "</td>";
}

std::size_t IndexOf(const std::vector<std::string>& all, const std::string& one) {
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), one) - all.begin());
}

std::string Tag(const OperatorInList& status) {
  const std::string word = StatusWord(status);
  if (status.status == ListStatus::kAbsent) {
    return "<span class=\"tag absent\" title=\"not in the configuration of this list\">absent"
           "</span>";
  }
  const char* const title = status.status == ListStatus::kUnlisted
                                ? " default\" title=\"by default: the list does not name it"
                                : "";
  const bool open = status.status == ListStatus::kUnclassified;
  return "<span class=\"tag " + word + title + "\">" + (open ? "unclassified" : word) + "</span>";
}

// Returns the attributes for the script: the status in each list, then indices of devices and
// types.
std::string Data(const OperatorDocs& op, const RowContext& context) {
  const std::string standings = Join(op.lists, " ", StatusWord);
  std::set<std::size_t> devices;
  std::set<std::size_t> dtypes;
  for (const DeviceTypes& kernel : op.kernels) {
    if (!kernel.device.empty()) devices.insert(IndexOf(context.devices, DeviceWord(kernel.device)));
    for (const std::string& dtype : kernel.dtypes) dtypes.insert(IndexOf(context.dtypes, dtype));
  }
  const auto indices = [](const char* name, const std::set<std::size_t>& set) {
    const std::string text = Join(set, " ", [](std::size_t i) { return std::to_string(i); });
    return text.empty() ? text : std::string(" data-") + name + "=\"" + text + "\"";
  };
  return " data-p=\"" + standings + "\"" + indices("d", devices) + indices("t", dtypes) +
         (op.IsExempt() ? " data-x" : "");
}

// Returns at most `most` names, separated by commas.
std::string Names(const std::vector<std::string>& names, std::size_t most) {
  std::string html;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) {
    html += (html.empty() ? "" : ", ") + HtmlText(names[i]);
  }
  return names.size() > most ? html + ", \u2026" : html;
}

std::string NameCell(const OperatorDocs& op) {
  std::string html = "<th role=\"rowheader\" scope=\"row\" class=\"name\"><a href=\"#" +
                     OperatorAnchor(op.op->name) + "\">" + Code(op.op->name) + "</a>";
  std::string aliases;
  std::size_t shown = 0;
  for (const Alias& alias : op.op->aliases) {
    if (++shown > kMaxAliases) break;
    aliases += (aliases.empty() ? "" : ", ") + Code(alias.name);
  }
  if (shown > kMaxAliases) aliases += ", \u2026";
  if (!aliases.empty()) html += "<small>also " + aliases + "</small>";
  const std::string inputs = Names(op.inputs, kMaxInputsInCell) + op.input_count;
  if (!inputs.empty()) html += "<small>" + inputs + "</small>";
  if (op.op->since > 0) html += "<small>since " + std::to_string(op.op->since) + "</small>";
  return html + "</th>";
}

// Joins devices with the same types.
std::string KernelLines(const std::vector<DeviceTypes>& kernels) {
  std::string html;
  std::vector<const std::vector<std::string>*> told;
  for (const DeviceTypes& kernel : kernels) {
    const bool again = std::any_of(told.begin(), told.end(),
                                   [&](const auto* types) { return *types == kernel.dtypes; });
    if (again) continue;
    told.push_back(&kernel.dtypes);
    std::vector<std::string> words;
    for (const DeviceTypes& other : kernels) {
      const std::string word = DeviceWord(other.device);
      const bool said = std::find(words.begin(), words.end(), word) != words.end();
      if (other.dtypes == kernel.dtypes && !word.empty() && !said) words.push_back(word);
    }
    const std::string devices = Join(words, ", ", [](const auto& word) { return HtmlText(word); });
    std::string types;
    for (const std::string& dtype : kernel.dtypes) types += ' ' + HtmlText(dtype);
    html += "<span>" + (devices.empty() ? devices : "<b>" + devices + "</b>") + types + "</span>";
  }
  return html;
}

class Details {
 public:
  Details(const OperatorDocs& op, const RowContext& context) : op_(op), context_(context) {}

  std::string Render() {
    Description();
    Aliases();
    if (op_.inputs.size() > kMaxInputsInCell) Term("inputs", Names(op_.inputs, op_.inputs.size()));
    // Parameters are what users set. If a dialect has them, attributes are internal to the
    // registry.
    Field("parameters", "parameters", kMaxAttribute);
    if (!op_.op->fields.contains("parameters")) Field("attributes", "attributes", kMaxAttribute);
    if (op_.op->since > 0) Versions();
    for (const auto& [attribute, values] : op_.attributes) {
      Term("values of " + HtmlText(attribute), Names(values, values.size()));
    }
    Entries();
    Commands();
    if (!op_.op->exempt.empty()) Term("exempt by filter", HtmlText(op_.op->exempt));
    const auto deprecated = op_.op->fields.find("deprecated");
    if (deprecated != op_.op->fields.end() && !deprecated->second.empty()) {
      const std::string& text = deprecated->second.front().value;
      Term("deprecated", text.empty() ? "yes" : HtmlText(text));
    }
    Sites();
    return "<dl>" + html_ + "</dl>";
  }

 private:
  void Term(const std::string& term, const std::string& html) {
    html_ += "<dt>" + term + "</dt><dd>" + html + "</dd>";
  }

  // Shows the first paragraph.
  void Description() {
    const auto found = op_.op->fields.find("description");
    if (found == op_.op->fields.end() || found->second.empty()) return;
    const std::string text = FirstParagraph(found->second.front().value);
    if (!text.empty()) Term("description", HtmlText(Cut(text, kMaxDescription)));
  }

  void Field(const char* field, const std::string& term, std::size_t longest) {
    const auto found = op_.op->fields.find(field);
    if (found == op_.op->fields.end()) return;
    std::string lines;
    for (const FieldValue& each : found->second) {
      std::string text = each.key;
      if (!each.value.empty()) text += (text.empty() ? "" : ": ") + each.value;
      if (text.empty()) continue;
      lines += (lines.empty() ? "" : "<br>") + HtmlText(Cut(text, longest));
    }
    if (!lines.empty()) Term(term, lines);
  }

  void Versions() {
    std::string versions = std::to_string(op_.op->since);
    for (auto old = op_.op->earlier.rbegin(); old != op_.op->earlier.rend(); ++old) {
      versions += ", " + std::to_string(old->since);
    }
    Term("versions", versions);
  }

  void Aliases() {
    const std::string names = Join(op_.op->aliases, ", ", [&](const Alias& alias) {
      const std::string anchor = OperatorAnchor(alias.name);
      const auto found = context_.alias_anchors.find(anchor);
      const bool ours = found != context_.alias_anchors.end() && found->second == op_.op;
      return ours ? "<code id=\"" + anchor + "\">" + HtmlText(alias.name) + "</code>"
                  : Code(alias.name);
    });
    if (!names.empty()) Term("aliases", names);
  }

  void Entries() {
    for (std::size_t i = 0; i < op_.lists.size(); ++i) {
      const ListEntry* entry = op_.lists[i].entry;
      if (entry == nullptr) continue;
      const SourceLink& link = context_.docs->link;
      Location place = entry->location;
      std::string words = std::string(PolicyName(entry->policy)) + " by " + PlaceText(place, link);
      if (!entry->reason.empty()) words += ", reason " + HtmlText(entry->reason);
      if (entry->op != op_.op->name) words += ", under its alias " + Code(entry->op);
      Term(HtmlText(context_.docs->lists[i].index->label), words);
    }
  }

  // Shipped lists are not in the tree that the link refers to.
  static std::string PlaceText(const Location& place, const SourceLink& link) {
    if (place.path.text().starts_with("share/opledger/")) return HtmlText(link.Text(place));
    return PlaceLink(place, link);
  }

  void Commands() {
    const std::optional<std::string> name = ShellQuote(op_.op->name);
    if (!name) return;
    for (std::size_t i = 0; i < op_.lists.size(); ++i) {
      if (op_.lists[i].status != ListStatus::kUnclassified) continue;
      const std::optional<std::string> list = ShellQuote(context_.docs->lists[i].index->reference);
      if (!list) continue;
      Term("classify it", Code("opledger classify " + *name + " --as POLICY --list " + *list));
    }
  }

  void Sites() {
    std::string places;
    for (std::size_t i = 0; i < op_.op->sites.size() && i < kMaxSites; ++i) {
      const Site& site = op_.op->sites[i];
      places += (i == 0 ? "" : "<br>") + PlaceLink(site.location, context_.docs->link);
      if (!site.condition.IsAlways()) places += " if " + Code(site.condition.text());
    }
    if (!places.empty()) Term("registered at", places);
  }

  const OperatorDocs& op_;
  const RowContext& context_;
  std::string html_;
};

std::string WhyCell(const OperatorDocs& op, const RowContext& context) {
  std::string summary;
  for (const Why& why : WhyOf(op)) {
    const std::string label = WhyLabel(why, op, *context.docs);
    summary += "<span>" + (label.empty() ? label : "<b>" + HtmlText(label) + "</b>") +
               HtmlText(why.text) + "</span>";
  }
  if (summary.empty()) {
    summary = "<span class=\"quiet\">details<span class=\"sr\"> of " + HtmlText(op.op->name) +
              "</span></span>";
  }
  return Cell(
      "why", "",
      "<details><summary>" + summary + "</summary>" + Details(op, context).Render() + "</details>");
}

}  // namespace

RowContext MakeRowContext(const Docs& docs) {
  RowContext context;
  context.docs = &docs;
  std::set<std::string> devices;
  std::set<std::string> seen;
  std::set<std::string> names;
  std::set<std::string> ambiguous;
  for (const OperatorDocs& op : docs.operators) {
    names.insert(OperatorAnchor(op.op->name));
    context.has_kernels |= !op.kernels.empty();
    for (const DeviceTypes& kernel : op.kernels) {
      if (!kernel.device.empty()) devices.insert(DeviceWord(kernel.device));
      for (const std::string& dtype : kernel.dtypes) {
        if (seen.insert(dtype).second) context.dtypes.push_back(dtype);
      }
    }
    for (const Alias& alias : op.op->aliases) {
      const auto [at, added] = context.alias_anchors.emplace(OperatorAnchor(alias.name), op.op);
      if (!added) ambiguous.insert(at->first);
    }
  }
  for (const std::string& name : names) context.alias_anchors.erase(name);
  for (const std::string& name : ambiguous) context.alias_anchors.erase(name);
  context.devices.assign(devices.begin(), devices.end());
  std::sort(context.dtypes.begin(), context.dtypes.end(), DtypeBefore);
  return context;
}

std::string DeviceWord(const std::string& device) {
  if (device == "*") return "any device";
  // Devices that the dialect does not name are macros or expressions.
  const bool is_name = std::all_of(device.begin(), device.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
           c == ':' || c == '/' || c == '+';
  });
  return is_name ? device : "another device";
}

std::string PlaceLink(const Location& location, const SourceLink& link) {
  const std::string url = link.Url(location);
  std::string text;
  for (const char c : HtmlText(link.Text(location))) {
    text += c;
    if (c == '/' || c == '_') text += "<wbr>";
  }
  if (url.empty()) return text;
  return "<a href=\"" + HtmlText(url) + "\" rel=\"noreferrer\">" + text + "</a>";
}

std::string RenderRow(const OperatorDocs& op, const RowContext& context) {
  std::string row = "<tr role=\"row\" id=\"" + OperatorAnchor(op.op->name) + "\"" +
                    Data(op, context) + ">" + NameCell(op);
  for (std::size_t i = 0; i < op.lists.size(); ++i) {
    row += Cell("policy", context.docs->lists[i].index->label, Tag(op.lists[i]));
  }
  row += WhyCell(op, context);
  if (context.has_kernels) row += Cell("kernels", "", KernelLines(op.kernels));
  const std::string place =
      op.op->sites.empty() ? "" : PlaceLink(op.op->sites.front().location, context.docs->link);
  return row + Cell("source", "", place) + "</tr>\n";
}

}  // namespace opledger
