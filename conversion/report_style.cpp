// The style of the report's page: light and dark as the reader's system is, and narrow screens.
// What colours say is also said by line styles and words.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report_html.h"

namespace opledger {
namespace {

constexpr const char* kStyle =
    R"(:root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--soft:#57606a;--line:#d0d7de;--card:#f6f8fa;
--low:#0b5cad;--low-back:#d8eafd;--high:#a04a00;--high-back:#ffe9d1;--other:#57606a;--other-back:#eef0f2;
--wanted:#6b3fa0;--wanted-back:#eee3fb;--cast:#1b1f24;--cast-back:#ffd33d}
@media(prefers-color-scheme:dark){:root{--back:#0d1117;--text:#e6edf3;--soft:#9aa4af;--line:#30363d;--card:#161b22;
--low:#79b8ff;--low-back:#0c2d52;--high:#ffab70;--high-back:#4a2500;--other:#9aa4af;--other-back:#21262d;
--wanted:#c8a6ff;--wanted-back:#33205a;--cast:#0d1117;--cast-back:#e3b341}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:72rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem;margin:.5rem 0;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2rem 0 .5rem}
p{margin:.3rem 0 .8rem;max-width:46rem}
a{color:var(--low)}
nav a{display:inline-block;margin-right:1rem;padding:.4rem 0}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.6rem;margin:1rem 0;padding:0}
.cards li{list-style:none;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.6rem .8rem}
.cards b{display:block;font-size:1.4rem;line-height:1.3}
.cards span{color:var(--soft);font-size:.9rem}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;padding:0;margin:.5rem 0;font-size:.9rem}
.legend li{list-style:none}
.legend i{display:inline-block;width:1.4em;height:.9em;border:2px solid;border-radius:3px;margin-right:.4em;vertical-align:-.1em}
.legend .low{background:var(--low-back);border-color:var(--low)}
.legend .float32{background:var(--high-back);border-color:var(--high);border-style:double}
.legend .wanted{background:var(--wanted-back);border-color:var(--wanted)}
.legend .other{background:var(--other-back);border-color:var(--other);border-style:dashed}
.legend .cast{background:var(--cast-back);border-color:var(--cast);border-radius:1em}
details{border:1px solid var(--line);border-radius:8px;margin:.5rem 0;background:var(--card)}
summary{cursor:pointer;padding:.6rem .8rem;overflow-wrap:anywhere}
summary small{color:var(--soft)}
.scroll{overflow-x:auto;background:var(--back);border-top:1px solid var(--line)}
.scroll:focus-visible{outline:2px solid var(--low)}
svg.strip{width:100%;height:auto;display:block}
svg.strip .low{fill:var(--low)}
svg.strip .float32{fill:var(--high-back);stroke:var(--high);stroke-width:1}
svg.strip .wanted{fill:var(--wanted)}
svg.strip .other{fill:var(--other-back);stroke:var(--line);stroke-width:1}
.scroll.pictures{display:flex;flex-wrap:wrap;justify-content:safe center;align-items:flex-start}
svg.g{display:block;flex:none}
.v rect{stroke-width:1.5}
.v text{font:600 12px system-ui,sans-serif;text-anchor:middle;fill:var(--text)}
.v text.d{font-weight:400;font-size:11px;fill:var(--soft)}
.v.low rect{fill:var(--low-back);stroke:var(--low)}
.v.float32 rect{fill:var(--high-back);stroke:var(--high);stroke-width:3}
.v.wanted rect{fill:var(--wanted-back);stroke:var(--wanted)}
.v.other rect{fill:var(--other-back);stroke:var(--other);stroke-dasharray:4 3}
.v.cast rect{fill:var(--cast-back);stroke:var(--cast)}
.v.cast text{fill:var(--cast)}
.v.port rect{fill:none;stroke:none}
.v.port text{font-weight:400;font-size:11px;fill:var(--soft)}
a:hover .v rect,a:focus-visible .v rect{stroke-width:4}
.e{fill:none;stroke-width:1.6}
.e.low{stroke:var(--low)}
.e.float32{stroke:var(--high);stroke-width:2.4}
.e.other{stroke:var(--other);stroke-dasharray:4 3}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-top:1px solid var(--line)}
th{color:var(--soft);font-weight:600}
td{overflow-wrap:anywhere;min-width:7rem}
td.n,th.n{text-align:right;white-space:nowrap;min-width:0;overflow-wrap:normal}
tr:target{background:var(--low-back)}
code{font:.92em ui-monospace,monospace}
.tag{white-space:nowrap;border-radius:4px;padding:.05rem .4rem}
.tag.low{background:var(--low-back);color:var(--low)}
.tag.float32{background:var(--high-back);color:var(--high)}
.tag.wanted{background:var(--wanted-back);color:var(--wanted)}
.tag.other{background:var(--other-back);color:var(--other)}
.sr{position:absolute;left:-9999px}
.sr:focus{left:1rem}
)";

}  // namespace

const char* ReportStyle() { return kStyle; }

}  // namespace opledger
