/** The look of the report: narrow and wide, light and dark, with a contrast of at least 4.5:1. */
export const STYLE = `:root {
  color-scheme: light dark;
  --paper: light-dark(#f4f5f7, #101418); --surface: light-dark(#ffffff, #171c22); --line: light-dark(#d5dae0, #303942);
  --text: light-dark(#14191f, #e8ecf0); --muted: light-dark(#525d69, #a3afbb);
  --then: light-dark(#b3261e, #ff9d94); --then-soft: light-dark(#fde5e3, #461a17);
  --now: light-dark(#14692f, #6fd08c); --now-soft: light-dark(#def3e3, #14351f);
  --other: light-dark(#1558b0, #8cbcff); --other-soft: light-dark(#e2edfc, #142c4c);
}
* { box-sizing: border-box; margin: 0; padding: 0 }
body { background: var(--paper); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
main { display: grid; gap: 24px; margin: 0 auto; max-width: 60rem; padding: clamp(16px, 4vw, 40px); overflow-wrap: anywhere }
main > *, li { min-width: 0 }
h1 { font-size: 24px; line-height: 1.3 }
h2 { font-size: 16px; margin-bottom: 8px }
header p, dt, .times, summary, .ids, section > p { color: var(--muted) }
code, .ids { font: 13px/1.6 ui-monospace, Menlo, Consolas, monospace }
dl { display: flex; flex-wrap: wrap; gap: 12px 40px }
dl div { display: flex; flex-direction: column-reverse }
dt, .times, summary { font-size: 13px }
dd { font-size: 26px; font-variant-numeric: tabular-nums; font-weight: 600; line-height: 1.2 }
ul { list-style: none }
.findings > li, .slower, .none { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px }
.findings { display: grid; gap: 12px }
.head, .slower li { align-items: baseline; display: flex; flex-wrap: wrap; gap: 4px 12px }
.kind { background: var(--other-soft); border-radius: 6px; color: var(--other); font-size: 13px; font-weight: 600; padding: 1px 8px }
:is(.failed, .missing) .kind { background: var(--then-soft); color: var(--then) }
:is(.mended, .new) .kind { background: var(--now-soft); color: var(--now) }
.line { display: grid; gap: 0 12px; grid-template-columns: 2.5em 1fr; margin-top: 6px }
.when { color: var(--muted); font-size: 13px; line-height: 22.5px }
.words { min-width: 0; white-space: pre-wrap }
del, ins { border-radius: 4px; padding: 1px 2px; text-decoration: none }
del, .failed ins { background: var(--then-soft); color: var(--then) }
ins { background: var(--now-soft); color: var(--now) }
details { margin-top: 8px }
summary { cursor: pointer; width: fit-content }
.ids { columns: 28ch auto; margin-top: 4px }
`
