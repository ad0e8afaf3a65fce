// A wide screen shows a table, a narrow one a card per operator. Nothing moves. Policies are told
// apart by words; colours help.
// SPDX-License-Identifier: Apache-2.0
#include "checker/docs/docs_style.h"

namespace opledger {
namespace {

constexpr const char* kDocsStyle =
    R"css(:root{--widest:#0f6b5c;--widest-back:#d5f2ea;--alarm:#b3261e;--alarm-back:#fde3e1}
@media(prefers-color-scheme:dark){:root{--widest:#6fd6bf;--widest-back:#0c3a32;--alarm:#ffa198;--alarm-back:#5a1a15}}
@property --rows{syntax:"<number>";inherits:false;initial-value:50}
[hidden]{display:none!important}
main{max-width:88rem;padding-bottom:4rem}
:focus-visible{outline:3px solid var(--low);outline-offset:2px;border-radius:3px}
.sr:focus{position:static}
.tag{display:inline-block;font-size:.9rem}
.tag.target{background:var(--low-back);color:var(--low)}
.tag.fp32{background:var(--high-back);color:var(--high)}
.tag.widest{background:var(--widest-back);color:var(--widest)}
.tag.conditional{background:var(--wanted-back);color:var(--wanted)}
.tag.either{background:var(--other-back);color:var(--other)}
.tag.unclassified{background:var(--alarm-back);color:var(--alarm);font-weight:600}
.tag.exempt,.tag.absent{color:var(--soft)}
.tag.absent{font-style:italic}
.lists{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(22rem,100%),1fr));gap:.8rem}
.lists section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.8rem 1rem}
.lists h3{font-size:1.05rem;margin:0}
.lists h3 small{font-weight:400;color:var(--soft)}
.lists p{margin:.1rem 0 .6rem;overflow-wrap:anywhere;color:var(--soft);font-size:.9rem}
.lists .share{float:right;font-weight:600}
.lists ul{display:flex;flex-wrap:wrap;gap:.4rem .5rem;margin:.7rem 0 0;padding:0}
.lists li{list-style:none;white-space:nowrap;font-variant-numeric:tabular-nums}
.lists li a{text-decoration:none;padding:.15rem .5rem}
.lists li a:hover{text-decoration:underline}
.lists li a b{margin-left:.15rem}
.lists svg{display:block;width:100%;height:14px;border-radius:4px}
svg .target{fill:var(--low)}svg .fp32{fill:#d9822b}svg .widest{fill:#1c8a76}svg .conditional{fill:#8a5cc7}
svg .either{fill:#9aa4af}svg .unclassified{fill:#d1242f}svg .exempt{fill:var(--line)}
@media(prefers-color-scheme:dark){svg .fp32{fill:#e0904a}svg .widest{fill:#3fb8a0}svg .conditional{fill:#b08aea}
svg .either{fill:#7d8790}svg .unclassified{fill:#ff6a69}}
#operators{scroll-margin-top:.5rem}
#controls{position:sticky;top:0;z-index:2;background:var(--back);padding:.6rem 0;
display:flex;flex-wrap:wrap;gap:.6rem .9rem;align-items:end}
#controls label{display:grid;font-size:.85rem;color:var(--soft)}
#controls .search{flex:1 1 16rem}
#controls .check{display:flex;gap:.4rem;align-items:center;min-height:2.4rem;color:var(--text)}
#controls input[type=checkbox]{width:1.15rem;height:1.15rem;margin:0;accent-color:var(--low)}
#controls select,#controls input[type=search],#controls button{font:inherit;font-size:.95rem;color:var(--text);
background:var(--card);border:1px solid var(--soft);border-radius:6px;padding:.4rem .6rem;min-height:2.4rem;max-width:100%}
#controls input[type=search]{width:100%}
#controls select{max-width:12rem}
#controls button{cursor:pointer}
#controls .order{display:none}
#count{flex:1 0 100%;color:var(--soft);font-size:.9rem;font-variant-numeric:tabular-nums}
table,thead,tbody{display:block}
.ops tr{display:grid;gap:0 1rem;border-top:1px solid var(--line);padding:.5rem .6rem;align-items:start}
.ops th,.ops td{border:0;padding:0;min-width:0;display:block}
.ops thead{position:sticky;top:var(--controls,0);z-index:1;background:var(--back);border-bottom:1px solid var(--line)}
.ops thead tr{border-top:0;padding:.6rem}
.ops tbody{content-visibility:auto;contain-intrinsic-height:calc(var(--rows)*4.2rem)}
.ops tbody tr{content-visibility:auto;contain-intrinsic-height:auto 3.2rem;scroll-margin:9.5rem 0}
.ops tbody tr:hover{background:var(--card)}
.ops tbody tr.marked,.ops tbody tr:target{background:var(--card);box-shadow:inset 4px 0 var(--low)}
.ops thead button{all:unset;cursor:pointer;font-weight:600;color:var(--soft)}
.ops thead button:focus-visible{outline:3px solid var(--low);outline-offset:2px}
.ops thead button::after{content:"\00a0\2195";opacity:.75}
.ops [aria-sort=ascending] button::after{content:"\00a0\2191";opacity:1}
.ops [aria-sort=descending] button::after{content:"\00a0\2193";opacity:1}
.ops [aria-sort] button{color:var(--text)}
.name{color:inherit;font-weight:400;overflow-wrap:anywhere}
.name a{font-weight:600;text-decoration:none}
.name a:hover{text-decoration:underline}
.name small{display:block;color:var(--soft);font-size:.82rem;line-height:1.4}
.why details{border:0;margin:0;background:none;border-radius:0}
.why summary{padding:0;list-style:none;display:grid;grid-template-columns:1.2rem 1fr}
.why summary::-webkit-details-marker{display:none}
.why summary::before{content:"\25B8";grid-row:1/span 9;color:var(--soft)}
.why [open]>summary::before{content:"\25BE"}
.why summary>span{grid-column:2}
.quiet{color:var(--soft)}
.why dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem .9rem;margin:.5rem 0 .3rem 1.2rem;font-size:.88rem}
.why dt{color:var(--soft)}
.why dd{margin:0;overflow-wrap:anywhere;min-width:0}
.kernels span{display:block}
.kernels,.source{font-size:.85rem;overflow-wrap:anywhere;color:var(--soft)}
.kernels b{color:var(--text);font-weight:600}
.source a{color:inherit}
.source a:hover{color:var(--low)}
#none{padding:1.5rem 0}
dl.policies{display:grid;grid-template-columns:max-content 1fr;gap:.35rem .9rem;padding:0 .8rem .8rem;margin:0}
dl.policies dd{margin:0}
.stale li{margin:.2rem 0}
footer{margin-top:3rem;color:var(--soft);font-size:.85rem}
@media(max-width:60rem){
.ops thead{display:none}
.ops tbody tr{display:flex;flex-wrap:wrap;gap:.3rem .8rem;padding:.8rem .6rem}
.ops tbody{contain-intrinsic-height:calc(var(--rows)*11rem)}
.ops .name,.ops .why,.ops .source,.ops .kernels{flex:1 0 100%}
.ops .name a{font-size:1.05rem}
.ops .name>a,.ops .source a{display:inline-block;min-height:24px}
.ops .policy::before{content:attr(data-label)" ";color:var(--soft);font-size:.8rem}
.why dl{grid-template-columns:1fr;gap:0 0}
.why dd{margin-bottom:.4rem}
#controls .order{display:grid}
#controls{position:static}
#controls label{flex:1 1 8rem}
#controls select{max-width:100%}
#controls .search{flex:1 0 100%}
}
@media(forced-colors:active){.tag{border:1px solid}}
@media print{#controls,.sr{display:none}.ops tbody,.ops tbody tr{content-visibility:visible}}
)css";

}  // namespace

const char* DocsStyle() { return kDocsStyle; }

}  // namespace opledger
