// html: one self-contained page, which can be read without network and scripts.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/html.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "checker/docs/coverage_picture.h"
#include "checker/docs/docs.h"
#include "checker/docs/operator_row.h"
#include "registry/files/sha256.h"

namespace opledger {

// page.css follows the style of all pages. page.js searches, filters, sorts and links; without it,
// the page shows everything.
extern const std::string_view kDocsStyle;
extern const std::string_view kDocsScript;

namespace {

// A browser lays out this many rows at a time, when they come into view.
constexpr std::size_t kRowsOfGroup = 50;

std::string Option(const std::string& value, const std::string& text) {
  return "<option value=\"" + HtmlText(value) + "\">" + HtmlText(text) + "</option>";
}

std::string Select(const std::string& id, const std::string& label, const std::string& options,
                   const std::string& classes = "") {
  return "<label" + (classes.empty() ? "" : " class=\"" + classes + "\"") + ">" + label +
         "<select id=\"" + id + "\">" + options + "</select></label>\n";
}

class DocsPage {
 public:
  explicit DocsPage(const Docs& docs) : docs_(docs), context_(MakeRowContext(docs)) {}

  std::string Render() {
    Head();
    Coverage();
    out_ += "<h2 id=\"operators\">Operators</h2>\n";
    Controls();
    Table();
    Stale();
    out_ +=
        "<footer><p>Written by opledger: <code>opledger docs</code> regenerates it, "
        "<code>opledger classify</code> changes a policy.</p></footer>\n</main>\n<script>" +
        std::string(kDocsScript) + "</script></body></html>\n";
    return std::move(out_);
  }

 private:
  void Head() {
    const std::string title = HtmlText(docs_.dialect) + ": the precision of every operator";
    out_ +=
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; script-src 'sha256-" +
        Sha256Base64(kDocsScript) +
        "'; base-uri 'none'; form-action 'none'\">\n<meta name=\"generator\" content=\"opledger "
        "docs\">\n<title>" +
        title + "</title>\n<style>\n" + std::string(kPageStyle) + std::string(kDocsStyle) +
        Columns() +
        "</style></head>\n<body><a class=\"sr\" href=\"#operators\">Skip to the operators</a>"
        "<main>\n<header>\n<h1>" +
        title + "</h1>\n<p>" + std::to_string(docs_.operators.size()) +
        " operators, and how each runs in 16 bits, by " +
        (docs_.lists.size() == 1 ? "one list" : std::to_string(docs_.lists.size()) + " lists") +
        ".</p>\n";
    if (!docs_.revision.empty()) {
      out_ += "<p class=\"revision\">Revision " + HtmlText(docs_.revision) + "</p>\n";
    }
    if (docs_.incomplete > 0) {
      out_ +=
          "<p><b>Some of the source could not be read, so operators may be missing.</b> "
          "<code>opledger check</code> shows where.</p>\n";
    }
    Policies();
    out_ += "</header>\n";
  }

  void Policies() {
    out_ +=
        "<details><summary>What the policies mean</summary><dl class=\"policies\">\n"
        "<dt><span class=\"tag target\">target</span></dt><dd>runs in the 16-bit type</dd>\n"
        "<dt><span class=\"tag fp32\">fp32</span></dt><dd>runs in float32</dd>\n"
        "<dt><span class=\"tag widest\">widest</span></dt><dd>runs in the widest type among its "
        "inputs</dd>\n"
        "<dt><span class=\"tag conditional\">conditional</span></dt><dd>one of several policies, "
        "depending on the values of attributes</dd>\n"
        "<dt><span class=\"tag either\">either</span></dt><dd>runs as it is: casting would gain "
        "nothing, or it is never in a graph</dd>\n"
        "<dt><span class=\"tag unclassified\">open</span></dt><dd>has no policy yet</dd>\n"
        "<dt><span class=\"tag either default\">by default</span></dt><dd>has no entry; the list "
        "gives a policy for such operators</dd>\n"
        "<dt><span class=\"tag undecided\">undecided</span></dt><dd>the sources have an autocast "
        "rule, but it is not known what it casts to</dd>\n"
        "<dt><span class=\"tag exempt\">exempt</span></dt><dd>needs no policy of its own, such as "
        "a gradient</dd>\n"
        "<dt><span class=\"tag absent\">absent</span></dt><dd>not in the build that the list is "
        "for</dd>\n</dl></details>\n";
  }

  // Returns the widths of the columns on wide screens, depending on the number of columns.
  std::string Columns() const {
    std::string columns = "minmax(12rem,1.3fr) repeat(" + std::to_string(docs_.lists.size()) +
                          ",minmax(4rem,7.4rem)) minmax(12rem,2.2fr)";
    if (context_.has_kernels) {
      columns += context_.dtypes.empty() ? " minmax(4rem,.5fr)" : " minmax(7rem,1.2fr)";
    }
    columns += " minmax(8rem,1.1fr)";
    return "@media(min-width:60.01rem){.ops tr{grid-template-columns:" + columns + "}}\n";
  }

  void Coverage() {
    out_ += "<h2>Coverage</h2>\n<div class=\"lists\">\n";
    for (std::size_t i = 0; i < docs_.lists.size(); ++i) {
      const ListDocs& list = docs_.lists[i];
      out_ += "<section><h3>" + HtmlText(list.index->label) + " <small>" +
              HtmlText(list.index->configuration) + "</small><span class=\"share\">" +
              HtmlText(CoverageText(list.coverage)) + "</span></h3>\n<p>" +
              HtmlText(list.index->list->path) +
              "</p>\n<svg viewBox=\"0 0 480 14\" preserveAspectRatio=\"none\" role=\"img\" "
              "aria-label=\"" +
              HtmlText(CoverageWords(list)) + "\">\n" + CoverageBar(list, 0, 0, 480, 14) +
              "</svg>\n<ul>";
      for (const CoveragePart& part : CoverageParts(list)) {
        out_ += "<li><a class=\"tag " + part.name + part.style +
                "\" href=\"#operators\" data-policy=\"" + part.name + "\" data-list=\"" +
                std::to_string(i) + "\">" + part.words + " <b>" + std::to_string(part.count) +
                "</b></a></li>\n";
      }
      out_ += "</ul></section>\n";
    }
    out_ += "</div>\n";
  }

  std::string PolicyOptions() const {
    std::string options = Option("", "any");
    for (const Policy policy : kPolicies) options += Option(PolicyName(policy), PolicyName(policy));
    options += Option("unclassified", "open");
    for (const char* word : {"undecided", "exempt", "absent"}) options += Option(word, word);
    return options;
  }

  std::string OrderOptions() const {
    std::vector<std::pair<std::string, std::string>> keys = {{"", "name"}};
    for (std::size_t i = 0; i < docs_.lists.size(); ++i) {
      keys.emplace_back("p" + std::to_string(i), docs_.lists[i].index->label);
    }
    keys.emplace_back("source", "source");
    std::string options;
    for (const auto& [key, words] : keys) {
      options += Option(key, words);
      options += Option("-" + (key.empty() ? "name" : key), words + ", backwards");
    }
    return options;
  }

  // Hidden until the script runs, because they need it.
  void Controls() {
    std::string lists = Option("", docs_.lists.size() == 1 ? "the list" : "any list");
    for (std::size_t i = 0; i < docs_.lists.size(); ++i) {
      lists += Option(std::to_string(i), docs_.lists[i].index->label);
    }
    out_ +=
        "<form id=\"controls\" role=\"search\" aria-label=\"Operators\" hidden>\n<label "
        "class=\"search\">Search names, aliases, reasons, files<input type=\"search\" id=\"q\" "
        "autocomplete=\"off\" spellcheck=\"false\" aria-keyshortcuts=\"/\"></label>\n" +
        Select("policy", "Policy", PolicyOptions()) + Select("list", "In", lists);
    if (!context_.devices.empty()) {
      std::string options = Option("", "any");
      for (std::size_t i = 0; i < context_.devices.size(); ++i) {
        options += Option(std::to_string(i), context_.devices[i]);
      }
      out_ += Select("device", "Device", options);
    }
    if (!context_.dtypes.empty()) {
      std::string options = Option("", "any");
      for (std::size_t i = 0; i < context_.dtypes.size(); ++i) {
        options += Option(std::to_string(i), context_.dtypes[i]);
      }
      out_ += Select("dtype", "Kernel type", options);
    }
    out_ += Select("sort", "Order by", OrderOptions(), "order");
    out_ +=
        "<label class=\"check\"><input type=\"checkbox\" id=\"exempt\"> include exempt</label>\n"
        "<button type=\"button\" id=\"reset\">Reset</button>\n"
        "<output id=\"count\" for=\"q policy list exempt\" aria-live=\"polite\"></output>\n"
        "<div id=\"chips\" role=\"group\" aria-label=\"Filters\"></div>\n"
        "</form>\n<p id=\"none\" role=\"status\" hidden>No operator matches.<span "
        "id=\"near\"></span></p>\n";
  }

  void HeadCell(const std::string& key, const std::string& text) {
    out_ += "<th role=\"columnheader\" scope=\"col\"" +
            (key.empty() ? "" : " data-key=\"" + key + "\"") +
            (key == "name" ? " aria-sort=\"ascending\"" : "") + ">" + HtmlText(text) + "</th>";
  }

  void Table() {
    out_ +=
        "<table class=\"ops\" id=\"table\" role=\"table\" aria-label=\"Operators\">\n<thead "
        "id=\"heads\" "
        "role=\"rowgroup\"><tr role=\"row\">";
    HeadCell("name", "Operator");
    for (std::size_t i = 0; i < docs_.lists.size(); ++i) {
      HeadCell("p" + std::to_string(i), docs_.lists[i].index->label);
    }
    HeadCell("", "Why");
    if (context_.has_kernels) HeadCell("", "Kernels");
    HeadCell("source", "Source");
    out_ += "</tr></thead>\n";
    for (std::size_t i = 0; i < docs_.operators.size(); ++i) {
      if (i % kRowsOfGroup == 0) {
        const std::size_t rows = std::min(kRowsOfGroup, docs_.operators.size() - i);
        out_ += std::string(i == 0 ? "" : "</tbody>") +
                "<tbody role=\"rowgroup\" style=\"--rows:" + std::to_string(rows) + "\">\n";
      }
      out_ += RenderRow(docs_.operators[i], context_);
    }
    out_ += "</tbody></table>\n";
  }

  void Stale() {
    bool any = false;
    for (const ListDocs& list : docs_.lists) any |= !list.stale.empty();
    if (!any) return;
    out_ += "<h2 id=\"stale\">Entries that name no operator</h2>\n<ul class=\"stale\">\n";
    for (const ListDocs& list : docs_.lists) {
      for (const ListEntry* entry : list.stale) {
        out_ += "<li><code>" + HtmlText(entry->op) + "</code> <span class=\"tag " +
                PolicyName(entry->policy) + "\">" + PolicyName(entry->policy) + "</span> in " +
                HtmlText(list.index->label) + "</li>\n";
      }
    }
    out_ += "</ul>\n";
  }

  const Docs& docs_;
  RowContext context_;
  std::string out_;
};

std::vector<DocsFile> RenderHtml(const Docs& docs) {
  return {{"operators.html", DocsPage(docs).Render()}};
}

}  // namespace

extern const DocsFormat kHtmlDocs = {"html", ".html", "one page to search, sort and link into",
                                     RenderHtml};

}  // namespace opledger
