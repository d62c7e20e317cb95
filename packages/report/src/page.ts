import { html, Html, type HtmlPart } from './html.js'
import { cellText, type Cell, type Column } from './table.js'

/** A part of a page under a heading of its own. */
export interface Section {
  /** Its heading. */
  readonly title: string
  /** HTML. */
  readonly content: HtmlPart
}

/** One HTML document that needs nothing else: no script, and no request to anywhere. Light or dark as its reader's system is. */
export function page(title: string, lead: HtmlPart, sections: readonly Section[]): string {
  const named = sections.map((section, i) => ({ ...section, id: `part-${i + 1}` }))
  const contents = named.length > 2 ? html`<nav>${named.map(({ id, title }) => html`<a href="#${id}">${title}</a> `)}</nav>\n` : undefined
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<header><h1>${title}</h1>
${lead}</header>
${contents}${named.map(({ id, title, content }) => html`<section id="${id}"><h2>${title}</h2>\n${content}</section>\n`)}</body>
</html>
`.text
}

/** A table as HTML, for the same columns and rows as `table`; a cell may be HTML. */
export function htmlTable(columns: readonly Column[], rows: readonly (readonly (Cell | Html)[])[]): Html {
  const side = (c: number) => (columns[c]?.align === 'right' ? html` class="number"` : undefined)
  const cell = (each: Cell | Html, c: number) => (c === 0 ? html`<th scope="row">${shown(each)}</th>` : html`<td${side(c)}>${shown(each)}</td>`)
  const head = columns.map(({ title }, c) => html`<th scope="col"${side(c)}>${title}</th>`)
  return html`<div class="wide"><table><thead><tr>${head}</tr></thead>\n<tbody>${rows.map((row) => html`<tr>${columns.map((_, c) => cell(row[c], c))}</tr>\n`)}</tbody></table></div>\n`
}

/** A chart, which is SVG, with a note below it. */
export const figure = (svg: string, note?: HtmlPart): Html =>
  html`<figure>${new Html(svg)}${note === undefined ? undefined : html`<figcaption>${note}</figcaption>`}</figure>\n`

const shown = (each: Cell | Html): HtmlPart => (each instanceof Html ? each : cellText(each))

const style = new Html(`
:root{color-scheme:light dark;--ink:#1f2328;--dim:#59636e;--line:#d1d9e0;--paper:#fff;--soft:#f6f8fa;--warn:#fff8c5}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#9198a1;--line:#3d444d;--paper:#0d1117;--soft:#151b23;--warn:#3a2d00}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:76rem;margin:0 auto;padding:1rem 1.5rem 4rem}
h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0;overflow-wrap:anywhere}h2{font-size:1.2rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line);padding-bottom:.2rem}h3{font-size:1rem;margin:1.2rem 0 .4rem}
p{margin:.4rem 0}.dim,figcaption{color:var(--dim)}nav{margin:.8rem 0}nav a{margin-right:1rem}a{color:inherit}
.wide,figure{overflow-x:auto}figure{margin:.6rem 0;max-width:100%}figcaption{font-size:.87rem}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,34rem),1fr));gap:.4rem 1.5rem;align-items:start}
svg.chart{display:block;max-width:100%;height:auto;min-width:26rem}
table{border-collapse:collapse;font-size:.9rem}th,td{padding:.25rem .7rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;font-weight:normal}
thead th.number{white-space:normal}thead th{font-weight:600;vertical-align:bottom;max-width:18rem}th,td{overflow-wrap:break-word;min-width:3.5rem}.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
td small{display:block;color:var(--dim)}pre{background:var(--soft);padding:.7rem .9rem;overflow-x:auto;font:13px/1.45 ui-monospace,monospace;border-radius:6px}
details{margin:.5rem 0}summary{cursor:pointer;overflow-wrap:anywhere}.note,.warning{background:var(--soft);padding:.4rem .8rem;border-radius:6px;white-space:pre-wrap;margin:.4rem 0}.warning{background:var(--warn)}
@media print{nav{display:none}details>*{display:block}body{max-width:none}}
`)
