"""The look of a report: one style sheet, light and dark, for screens from a phone's up and for print."""

STYLE = """
:root { --paper:#ffffff; --ink:#22272e; --soft:#5b6673; --line:#dfe4ea; --card:#f6f8fa; --accent:#c8431d; }
@media (prefers-color-scheme: dark) {
  :root { --paper:#14181d; --ink:#e4e9ef; --soft:#9aa7b5; --line:#2e363f; --card:#1c2229; --accent:#ff7a52; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1060px; margin: 0 auto; padding: 36px 22px 80px; }
h1 { font-size: 27px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -.01em; }
h2 { font-size: 19px; margin: 46px 0 4px; }
p { margin: 6px 0; max-width: 86ch; } .note { color: var(--soft); font-size: 13.5px; }
.warn { border-left: 3px solid var(--accent); padding: 6px 12px; background: var(--card); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px;
  margin: 22px 0 6px; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 9px; padding: 13px 16px; }
.tile b { display: block; font-size: 25px; line-height: 1.25; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: 13px; }
figure { margin: 14px 0 6px; overflow-x: auto; }
figure svg { width: 100%; min-width: 600px; height: auto; display: block; }
figure svg text { font-family: inherit !important; }
figure.wide svg, figure.narrow svg { min-width: 0; } figure.narrow { display: none; }
.files { color: var(--soft); font-size: 12.5px; margin-top: 0; } .files a { margin-right: .5em; }
.scroll th:first-child, .scroll td:first-child { position: sticky; left: 0; background: var(--paper); }
.dense table { font-size: 13px; } .dense th, .dense td { padding: 5px 6px; }
.dense td small { font-size: 11.5px; }
a { color: inherit; } h3 { font-size: 15.5px; margin: 22px 0 0; }
ul { padding-left: 20px; max-width: 86ch; } li { margin: 3px 0; } li small { color: var(--soft); }
strong.not { color: var(--accent); }
i.paper, th i { color: var(--soft); font-weight: 400; }
.wrap { white-space: normal; display: inline-block; min-width: 130px; overflow-wrap: anywhere; }
.wrap a { margin-right: .7em; }
.scroll { overflow-x: auto; margin: 12px 0; }
table { border-collapse: separate; border-spacing: 0; width: 100%;
  font-variant-numeric: tabular-nums; font-size: 14px; }
th, td { text-align: right; padding: 6px 10px; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; font-size: 13px; vertical-align: bottom; white-space: normal; }
th:first-child, td:first-child { text-align: left; }
td small, th small { color: var(--soft); font-size: 12px; font-weight: 400; display: block; }
tbody tr:hover { background: var(--card); }
.dot { display: inline-block; width: 10px; height: 10px; border-radius: 50%; margin-right: 8px; }
.frames { display: grid; grid-template-columns: repeat(auto-fill, minmax(116px, 1fr)); gap: 10px;
  margin: 16px 0; }
.moment { background: var(--card); border: 1px solid var(--line); border-radius: 8px; overflow: hidden;
  font-size: 12px; line-height: 1.35; break-inside: avoid; }
.moment.mark { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.moment img { width: 100%; aspect-ratio: 1; image-rendering: pixelated; display: block; object-fit: cover; }
.moment div { padding: 6px 8px 8px; } .moment b { display: block; overflow-wrap: anywhere; }
.moment .from { color: var(--soft); } .moment .bar { height: 3px; padding: 0; }
code { font: 12.5px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px; font-size: 13.5px; }
dt { color: var(--soft); } dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
@media (max-width: 560px) {
  main { padding: 22px 14px 60px; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: 8px; }
}
@media (max-width: 700px) { figure.wide { display: none; } figure.narrow { display: block; } }
@media print {
  figure.wide { display: block; } figure.narrow { display: none; } .scroll { overflow: visible; }
  main { max-width: none; padding: 0; }
  h2, h3, .note { break-after: avoid; } figure, tr, p { break-inside: avoid; }
  .files { break-before: avoid; } .scroll th:first-child, .scroll td:first-child { position: static; }
}
"""
