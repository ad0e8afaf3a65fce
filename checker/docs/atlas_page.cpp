// Renders a row for each operation and a column for each list.
// SPDX-License-Identifier: Apache-2.0
#include "checker/docs/atlas_page.h"

#include <set>

#include "checker/terminal/markdown_text.h"
#include "checker/terminal/source_link.h"
#include "registry/project/version.h"
#include "registry/text/html.h"
#include "registry/text/short_number.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::string_view kAtlasStyle = R"(
main{max-width:none}
.atlas{border-collapse:collapse;font-size:.85rem;display:block;overflow:auto;max-height:92vh;max-width:100%}
.atlas th,.atlas td{border-top:1px solid var(--line);padding:.3rem .5rem;vertical-align:top;text-align:left}
.atlas thead th{position:sticky;top:0;background:var(--back);z-index:2}
.atlas tbody th{position:sticky;left:0;background:var(--back);z-index:1;font-weight:600}
.atlas .quiet,.atlas small{color:var(--soft)}
.atlas small{display:block;overflow-wrap:anywhere;max-width:11rem}
.atlas .dissents{outline:2px solid #d1242f;outline-offset:-2px}
.tag.default{background:none;box-shadow:inset 0 0 0 1px var(--line)}
.tag.target{background:var(--low-back);color:var(--low)}.tag.fp32{background:var(--high-back);color:var(--high)}
@media print{.atlas{max-height:none;overflow:visible;font-size:6pt}.atlas small{display:none}}
)";

std::set<std::string> AtlasPolicies(const AtlasCell& cell) {
  std::set<std::string> policies;
  for (const ListEntry* entry : cell.entries) policies.insert(PolicyName(entry->policy));
  return policies;
}

std::string AgreementWords(const AtlasAgreement& agreement) {
  if (agreement.of == 0) return "-";
  const std::string count = std::to_string(agreement.with) + " of " + std::to_string(agreement.of);
  if (agreement.most.empty()) return "0 of " + std::to_string(agreement.of);
  if (agreement.most == "split") return "split, " + count + " each";
  return agreement.most + ", " + count;
}

std::string MeasuredWords(const MeasuredOperator& measured) {
  const bool own = measured.framework == kOwnFramework;
  std::string text = own ? "" : measured.framework + ' ' + measured.op + ' ';
  text += DtypeName(measured.dtype);
  if (!own && measured.inherent) text += " rounded once";
  text += (measured.kind.empty() ? "" : " " + measured.kind) + ": " + PolicyName(measured.policy);
  if (measured.ulp) {
    text += ", " + (measured.exact ? "exact" : ShortNumber(*measured.ulp) + " ulp");
  }
  return text + (measured.reason.empty() ? "" : " (" + measured.reason + ")");
}

std::string AtlasCellHtml(const AtlasCell& cell, bool dissents) {
  if (cell.entries.empty() && cell.by_default) {
    const std::string policy = PolicyName(*cell.by_default);
    return "<td><span class=\"tag default\" title=\"by default: the list does not name it\">" +
           policy + "</span></td>";
  }
  if (cell.entries.empty()) return "<td class=\"quiet\">-</td>";
  std::string html = dissents ? "<td class=\"dissents\">" : "<td>";
  for (const std::string& policy : AtlasPolicies(cell)) {
    html += "<span class=\"tag " + policy + "\">" + policy + "</span> ";
  }
  std::string names;
  for (const ListEntry* entry : cell.entries) {
    names += (names.empty() ? "" : ", ") + HtmlText(entry->op);
  }
  return html + "<small>" + names + "</small></td>";
}

bool DissentsIn(const AtlasRow& row, const std::string& column) {
  for (const AtlasAgreement* agreement : {&row.float16, &row.bfloat16}) {
    for (const std::string& each : agreement->dissent) {
      if (each == column) return true;
    }
  }
  return false;
}

std::string AtlasRowHtml(const AtlasRow& row, const Atlas& atlas) {
  std::string html = "<tr id=\"" + OperatorAnchor(row.operation) +
                     "\"><th scope=\"row\"><a href=\"#" + OperatorAnchor(row.operation) + "\">" +
                     HtmlText(row.operation) + "</a></th>";
  html += "<td>" + HtmlText(AgreementWords(row.float16)) + "</td><td>" +
          HtmlText(AgreementWords(row.bfloat16)) + "</td>";
  for (std::size_t i = 0; i < atlas.columns.size(); ++i) {
    html += AtlasCellHtml(row.cells[i], DissentsIn(row, atlas.columns[i]));
  }
  if (atlas.evidence) {
    html += "<td>";
    for (const MeasuredOperator* measured : row.measured) {
      html += "<small>" + HtmlText(MeasuredWords(*measured)) + "</small>";
    }
    html += "</td>";
  }
  std::string by;
  for (const auto& [framework, names] : row.names) {
    for (const OperationName& name : names) {
      by += "<small>" +
            HtmlText(framework + " " + name.op + ": " + name.by +
                     (name.partly.empty() ? "" : ", " + name.partly)) +
            "</small>";
    }
  }
  return html + "<td><details><summary>names</summary>" + by + "</details></td></tr>\n";
}

// Returns the number of operations on which all float16 lists with an entry agree. Adds to `of` the
// number of operations with at least two such lists.
int UnanimousRows(const Atlas& atlas, int& of) {
  int count = 0;
  for (const AtlasRow& row : atlas.rows) {
    if (row.float16.of < 2) continue;
    ++of;
    if (row.float16.with == row.float16.of) ++count;
  }
  return count;
}

std::string AtlasSummary(const Atlas& atlas) {
  int of = 0;
  const int unanimous = UnanimousRows(atlas, of);
  return std::to_string(atlas.rows.size()) + " operations in " +
         std::to_string(atlas.columns.size()) + " lists of " + "MXNet, PyTorch, TensorFlow, TVM, " +
         "ONNX and ONNX Runtime. In float16 all lists that name an operation agree on " +
         std::to_string(unanimous) + " of " + std::to_string(of) +
         "; widest and either count as the same there, because both leave an operator in the type "
         "of its inputs.";
}

const std::string& AtlasCitation() {
  static const std::string citation =
      "Cite as: opledger " + std::string(Version()) +
      ", \"Precision of operators across frameworks\", the page of `opledger docs --atlas`; name "
      "an operation by its anchor, such as #op-Softmax.";
  return citation;
}

}  // namespace

std::string AtlasHtml(const Atlas& atlas) {
  const std::string title = "Precision of operators across frameworks";
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action "
      "'none'\">\n<title>" +
      title + "</title>\n<style>" + std::string(kPageStyle) + std::string(kAtlasStyle) +
      "</style></head>\n<body><main><header><h1>" + title + "</h1>\n<p>" +
      HtmlText(AtlasSummary(atlas)) +
      "</p>\n"
      "<p>Framed cells differ from most; outlined policies are defaults of lists that do not name "
      "the operation. " +
      HtmlText(AtlasCitation()) +
      "</p></header>\n<details><summary>Sources of the alignment of names</summary><dl>\n";
  for (const auto& [key, meaning] : atlas.table.sources()) {
    html += "<dt>" + HtmlText(key) + "</dt><dd>" + HtmlText(meaning) + "</dd>\n";
  }
  html +=
      "</dl></details>\n<table class=\"atlas\"><thead><tr><th scope=\"col\">operation</th>"
      "<th scope=\"col\">most float16 lists</th><th scope=\"col\">most bfloat16 lists</th>";
  for (const std::string& column : atlas.columns) {
    html += "<th scope=\"col\">" + HtmlText(column) + "</th>";
  }
  if (atlas.evidence) html += "<th scope=\"col\">measured</th>";
  html += "<th scope=\"col\">aligned by</th></tr></thead>\n<tbody>\n";
  for (const AtlasRow& row : atlas.rows) html += AtlasRowHtml(row, atlas);
  return html + "</tbody></table>\n</main></body></html>\n";
}

std::string AtlasMarkdown(const Atlas& atlas) {
  std::string text = "# Precision of operators across frameworks\n\n" + AtlasSummary(atlas) +
                     "\n\n" + AtlasCitation() + "\n\n| operation | most float16 lists |";
  std::string line = "\n|---|---|";
  for (const std::string& column : atlas.columns) {
    text += " " + column + " |";
    line += "---|";
  }
  text += (atlas.evidence ? " measured |" : "") + line + (atlas.evidence ? "---|\n" : "\n");
  for (const AtlasRow& row : atlas.rows) {
    text += "| " + MarkdownName(row.operation) + " | " + AgreementWords(row.float16) + " |";
    for (const AtlasCell& cell : row.cells) {
      std::string policies = Join(AtlasPolicies(cell), ", ");
      if (cell.by_default) policies = std::string(PolicyName(*cell.by_default)) + " (by default)";
      text += " " + policies + " |";
    }
    if (atlas.evidence) {
      text += ' ';
      for (const MeasuredOperator* measured : row.measured) {
        text += MarkdownText(MeasuredWords(*measured)) + "; ";
      }
      text += "|";
    }
    text += '\n';
  }
  return text;
}

}  // namespace opledger
