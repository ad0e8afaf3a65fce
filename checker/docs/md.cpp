// md: tables to commit. To keep diffs small, columns are not padded, and line numbers are shown
// only if links have them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "checker/docs/docs.h"
#include "checker/docs/entry_words.h"
#include "checker/terminal/markdown_text.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxInputs = 6;

std::string Cell(const std::string& text) { return " " + text + " |"; }

// Returns the names as code, separated by commas.
std::string CodeList(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) {
    text += (text.empty() ? "" : ", ") + MarkdownName(names[i]);
  }
  return names.size() > most ? text + ", ..." : text;
}

std::string Place(const Location& location, const SourceLink& link) {
  const std::string url = link.Url(location);
  if (url.empty()) return MarkdownName(location.path);
  return "[" + MarkdownName(link.Text(location)) + "](<" + url + ">)";
}

std::string FirstPlace(const Operator& op, const SourceLink& link) {
  return op.sites.empty() ? std::string() : Place(op.sites.front().location, link);
}

// Returns "cpu, cuda: float16 float32; tpu". Devices with the same types are joined.
std::string Kernels(const std::vector<DeviceTypes>& kernels) {
  std::string text;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const bool first_of_types =
        std::none_of(kernels.begin(), kernels.begin() + static_cast<std::ptrdiff_t>(i),
                     [&](const DeviceTypes& each) { return each.dtypes == kernels[i].dtypes; });
    if (!first_of_types) continue;
    std::string devices;
    for (std::size_t j = i; j < kernels.size(); ++j) {
      if (kernels[j].dtypes != kernels[i].dtypes || kernels[j].device.empty()) continue;
      devices += (devices.empty() ? "" : ", ") + MarkdownText(kernels[j].device);
    }
    std::string types;
    for (const std::string& dtype : kernels[i].dtypes) types += ' ' + MarkdownText(dtype);
    if (!types.empty() && devices.empty()) types.erase(0, 1);
    text += (text.empty() ? "" : "; ") + devices + (devices.empty() || types.empty() ? "" : ":") +
            types;
  }
  return text;
}

class MarkdownDocs {
 public:
  explicit MarkdownDocs(const Docs& docs) : docs_(docs) {
    for (const OperatorDocs& op : docs.operators) {
      if (op.IsExempt()) continue;
      has_inputs_ |= !op.inputs.empty() || !op.input_count.empty();
      has_kernels_ |= !op.kernels.empty();
    }
  }

  std::string Render() {
    out_ = "<!-- Written by `opledger docs`: edit the lists, then run it again. -->\n\n# " +
           MarkdownText(docs_.dialect) + ": the precision of every operator\n\n";
    if (docs_.incomplete > 0) {
      out_ += "Some of the source could not be read: `opledger check` shows where.\n\n";
    }
    Coverage();
    Unclassified();
    Operators();
    Exempt();
    Stale();
    return std::move(out_);
  }

 private:
  void Header(const std::vector<std::string>& columns) {
    out_ += "|";
    for (const std::string& column : columns) out_ += Cell(column);
    out_ += "\n|";
    for (std::size_t i = 0; i < columns.size(); ++i) out_ += "---|";
    out_ += '\n';
  }

  void Coverage() {
    std::vector<std::string> columns = {"list", "configuration"};
    for (const Policy policy : kPolicies) columns.emplace_back(PolicyName(policy));
    columns.insert(columns.end(), {"decided", "by default", "unclassified", "exempt"});
    Header(columns);
    for (const ListDocs& list : docs_.lists) {
      out_ += "|" + Cell(MarkdownText(list.index->label)) +
              Cell(MarkdownText(list.index->configuration));
      for (const Policy policy : kPolicies) {
        const auto found = list.by_policy.find(policy);
        out_ += Cell(std::to_string(found == list.by_policy.end() ? 0 : found->second));
      }
      const auto& coverage = list.coverage;
      const std::string of =
          coverage.default_policy.empty() ? "" : " (" + coverage.default_policy + ")";
      out_ += Cell(std::to_string(coverage.decided)) +
              Cell(std::to_string(coverage.by_default) + of) + Cell(std::to_string(coverage.open)) +
              Cell(std::to_string(list.exempt)) + '\n';
    }
    out_ += '\n';
  }

  void Unclassified() {
    bool any = false;
    for (const OperatorDocs& op : docs_.operators) {
      if (!op.IsUnclassified()) continue;
      if (!any) {
        out_ += "## Unclassified\n\n";
        Header({"operator", "lists", "source"});
      }
      any = true;
      std::string lists;
      for (std::size_t i = 0; i < op.lists.size(); ++i) {
        if (op.lists[i].status != ListStatus::kUnclassified) continue;
        lists += (lists.empty() ? "" : ", ") + MarkdownText(docs_.lists[i].index->label);
      }
      out_ += "|" + Cell(MarkdownName(op.op->name)) + Cell(lists) +
              Cell(FirstPlace(*op.op, docs_.link)) + '\n';
    }
    if (any) out_ += '\n';
  }

  std::string WhyCell(const OperatorDocs& op) const {
    return Cell(Join(WhyOf(op), "<br>", [&](const Why& why) {
      return MarkdownText(WhyLabel(why, op, docs_) + why.text);
    }));
  }

  void Operators() {
    out_ += "## Operators\n\n";
    std::vector<std::string> columns = {"operator"};
    for (const ListDocs& list : docs_.lists) columns.push_back(MarkdownText(list.index->label));
    if (has_inputs_) columns.emplace_back("inputs");
    if (has_kernels_) columns.emplace_back("kernels");
    columns.insert(columns.end(), {"why", "source"});
    Header(columns);
    for (const OperatorDocs& op : docs_.operators) {
      if (op.IsExempt()) continue;
      out_ += "|" + Cell(MarkdownName(op.op->name));
      for (const OperatorInList& status : op.lists) {
        std::string word = StatusWord(status);
        if (status.status == ListStatus::kUnlisted) word += " (by default)";
        out_ += Cell(status.status == ListStatus::kUnclassified ? "**unclassified**" : word);
      }
      if (has_inputs_) out_ += Cell(CodeList(op.inputs, kMaxInputs) + op.input_count);
      if (has_kernels_) out_ += Cell(Kernels(op.kernels));
      out_ += WhyCell(op) + Cell(FirstPlace(*op.op, docs_.link)) + '\n';
    }
  }

  void Exempt() {
    bool any = false;
    for (const OperatorDocs& op : docs_.operators) {
      if (!op.IsExempt()) continue;
      if (!any) {
        out_ += "\n## Exempt\n\nThese need no policy.\n\n";
        Header({"operator", "because", "source"});
      }
      any = true;
      out_ += "|" + Cell(MarkdownName(op.op->name)) + Cell(MarkdownText(op.op->exempt)) +
              Cell(FirstPlace(*op.op, docs_.link)) + '\n';
    }
  }

  void Stale() {
    bool any = false;
    for (const ListDocs& list : docs_.lists) {
      for (const ListEntry* entry : list.stale) {
        if (!any) {
          out_ += "\n## Entries that name no operator\n\n";
          Header({"entry", "list", "policy"});
        }
        any = true;
        out_ += "|" + Cell(MarkdownName(entry->op)) + Cell(MarkdownText(list.index->label)) +
                Cell(PolicyName(entry->policy)) + '\n';
      }
    }
  }

  const Docs& docs_;
  bool has_inputs_ = false;
  bool has_kernels_ = false;
  std::string out_;
};

std::vector<DocsFile> RenderMarkdown(const Docs& docs) {
  return {{"operators.md", MarkdownDocs(docs).Render()}};
}

}  // namespace

extern const DocsFormat kMdDocs = {"md", ".md", "Markdown tables, to be committed", RenderMarkdown};

}  // namespace opledger
