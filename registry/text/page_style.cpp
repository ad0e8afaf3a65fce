// Text has a contrast of at least 4.5 to what is behind it, in light and in dark.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/page_style.h"

namespace opledger {
namespace {

constexpr const char* kPageStyle =
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
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.6rem;margin:1rem 0;padding:0}
.cards li{list-style:none;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.6rem .8rem}
.cards b{display:block;font-size:1.4rem;line-height:1.3}
.cards span{color:var(--soft);font-size:.9rem}
details{border:1px solid var(--line);border-radius:8px;margin:.5rem 0;background:var(--card)}
summary{cursor:pointer;padding:.6rem .8rem;overflow-wrap:anywhere}
summary small{color:var(--soft)}
.scroll{overflow-x:auto;background:var(--back);border-top:1px solid var(--line)}
.scroll:focus-visible{outline:2px solid var(--low)}
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

const char* PageStyle() { return kPageStyle; }

}  // namespace opledger
