// The style of the report's page beyond what every page has: what is drawn. What colours say is
// also said by line styles and words.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/report_html.h"

namespace opledger {
namespace {

constexpr const char* kReportStyle =
    R"(nav a{display:inline-block;margin-right:1rem;padding:.4rem 0}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;padding:0;margin:.5rem 0;font-size:.9rem}
.legend li{list-style:none}
.legend i{display:inline-block;width:1.4em;height:.9em;border:2px solid;border-radius:3px;margin-right:.4em;vertical-align:-.1em}
.legend .low{background:var(--low-back);border-color:var(--low)}
.legend .float32{background:var(--high-back);border-color:var(--high);border-style:double}
.legend .wanted{background:var(--wanted-back);border-color:var(--wanted)}
.legend .other{background:var(--other-back);border-color:var(--other);border-style:dashed}
.legend .cast{background:var(--cast-back);border-color:var(--cast);border-radius:1em}
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
)";

}  // namespace

const char* ReportStyle() { return kReportStyle; }

}  // namespace opledger
