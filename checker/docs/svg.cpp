// svg: a picture for each list, for READMEs. Pages show it as an image, so it contains its colors
// for light and dark mode. Text is placed by estimated widths, without font metrics.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "checker/docs/coverage_picture.h"
#include "checker/docs/docs.h"
#include "registry/text/diagnostics.h"
#include "registry/text/html.h"
#include "registry/text/utf8.h"

namespace opledger {
namespace {

constexpr int kWidth = 480;
constexpr int kMargin = 16;
constexpr int kLineHeight = 20;
constexpr int kBarTop = 42;
constexpr int kBarHeight = 14;
constexpr std::size_t kMaxTitle = 34;  // characters that fit next to the percentage

constexpr const char* kStyle = R"(
.back{fill:#fff;stroke:#d0d7de}
text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#57606a}
.title,.percent{font-weight:600;font-size:15px;fill:#1b1f24}
.target{fill:#0b5cad}.fp32{fill:#d9822b}.widest{fill:#1c8a76}.conditional{fill:#8a5cc7}.either{fill:#9aa4af}
.unclassified{fill:#d1242f}.exempt{fill:#d8dee4}.default{opacity:.5}
@media(prefers-color-scheme:dark){
.back{fill:#0d1117;stroke:#30363d}text{fill:#9aa4af}.title,.percent{fill:#e6edf3}
.target{fill:#58a6ff}.fp32{fill:#e0904a}.widest{fill:#3fb8a0}.conditional{fill:#b08aea}.either{fill:#7d8790}
.unclassified{fill:#ff6a69}.exempt{fill:#30363d}
}
)";

// Returns at most `most` characters, the last one an ellipsis if the text is cut.
std::string Shorten(const std::string& text, std::size_t most) {
  std::size_t end = 0;
  std::size_t before_last = 0;
  for (std::size_t characters = 0; end < text.size(); ++characters) {
    if (characters == most) return text.substr(0, before_last) + "\u2026";
    before_last = end;
    end += std::max<std::size_t>(DecodeUtf8(text, end).length, 1);
  }
  return text;
}

std::string TextAt(int x, int y, const std::string& classes, const std::string& text) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\"" +
         (classes.empty() ? "" : " class=\"" + classes + "\"") + ">" + HtmlText(text) + "</text>\n";
}

// Adds a swatch and a label for each part, and returns the height of the picture.
int Legend(const ListDocs& list, std::string& svg) {
  int x = kMargin;
  int y = kBarTop + kBarHeight + kLineHeight;
  for (const CoveragePart& part : CoverageParts(list)) {
    const std::string words = part.words + ' ' + std::to_string(part.count);
    const int wide = 30 + static_cast<int>(words.size()) * 7;
    if (x + wide > kWidth && x > kMargin) {
      x = kMargin;
      y += kLineHeight;
    }
    svg += "<rect class=\"" + part.name + part.style + "\" x=\"" + std::to_string(x) + "\" y=\"" +
           std::to_string(y - 9) + "\" width=\"10\" height=\"10\" rx=\"2\"/>" +
           TextAt(x + 15, y, "", words);
    x += wide;
  }
  return y + 12;
}

std::string Picture(const ListDocs& list, const std::string& dialect) {
  std::string legend;
  const int height = Legend(list, legend);
  const std::string title = dialect + ' ' + list.index->label;
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(kWidth) +
      "\" height=\"" + std::to_string(height) + "\" viewBox=\"0 0 " + std::to_string(kWidth) + ' ' +
      std::to_string(height) + "\" role=\"img\">\n<!-- Written by opledger docs -->\n<title>" +
      HtmlText(title + ": " + CoverageWords(list)) + "</title>\n<style>" + kStyle +
      "</style>\n<rect class=\"back\" x=\".5\" " + "y=\".5\" width=\"" +
      std::to_string(kWidth - 1) + "\" height=\"" + std::to_string(height - 1) + "\" rx=\"8\"/>\n";
  svg += TextAt(kMargin, 27, "title", Shorten(Printable(title), kMaxTitle));
  svg += "<text x=\"" + std::to_string(kWidth - kMargin) +
         "\" y=\"27\" class=\"percent\" text-anchor=\"end\">" + CoverageBadge(list.coverage) +
         (list.coverage.default_policy.empty() ? " decided" : "") + "</text>\n";
  svg += CoverageBar(list, kMargin, kBarTop, kWidth - 2 * kMargin, kBarHeight);
  return svg + legend + "</svg>\n";
}

// Makes a file name from a label. Numbers the names if labels give the same one.
std::string FileName(const std::string& label, std::set<std::string>& taken) {
  std::string stem = "coverage-";
  for (const char c : label.substr(0, 80)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || c == '.';
    stem += plain ? c : '-';
  }
  std::string name = stem;
  for (int number = 2; !taken.insert(name).second; ++number) {
    name = stem + '-' + std::to_string(number);
  }
  return name + ".svg";
}

std::vector<DocsFile> RenderSvg(const Docs& docs) {
  std::vector<DocsFile> files;
  std::set<std::string> taken;
  for (const ListDocs& list : docs.lists) {
    files.push_back({FileName(list.index->label, taken), Picture(list, docs.dialect)});
  }
  return files;
}

}  // namespace

extern const DocsFormat kSvgDocs = {"svg", ".svg", "a picture per list, for READMEs", RenderSvg};

}  // namespace opledger
