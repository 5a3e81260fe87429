/** The speeds as bars, in a picture with its own background, so that it can be read on a light and a dark page. */
import { lineOf, type Measured } from './table.ts'

const WIDTH = 760
const LEFT = 310
const RIGHT = 80
const TOP = 64
const ROW = 30
const BAR = 16

/** The text and the ground of our pictures, in both themes. */
export const PICTURE_STYLE = `
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .head { font-weight: 600; font-size: 15px }
    .small { font-size: 12px; fill: #59636e }
    .ground { fill: #ffffff; stroke: #d1d9e0 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .small { fill: #9198a1 }
      .ground { fill: #0d1117; stroke: #3d444d }
    }`

export function chart(all: readonly Measured[]): string {
  const speeds = all.flatMap(({ key, value }) => {
    const { label, atLeast = 0 } = lineOf(key)
    return label === undefined ? [] : [{ label, value, atLeast }]
  })
  const height = TOP + speeds.length * ROW + 34
  const most = Math.max(1.25, ...speeds.map(({ value, atLeast }) => Math.max(value, atLeast)))
  const x = (value: number) => round(LEFT + (value / most) * (WIDTH - LEFT - RIGHT))
  const equal = x(1)
  const bars = speeds.map(({ label, value, atLeast }, at) => {
    const y = TOP + at * ROW
    const kind = value >= atLeast ? 'met' : 'missed'
    return `<text class="label" x="${LEFT - 12}" y="${y + 13}" text-anchor="end">${escaped(label)}</text>
  <rect class="${kind}" x="${LEFT}" y="${y}" width="${round(x(value) - LEFT)}" height="${BAR}" rx="2"/>
  <path class="target" d="M${x(atLeast)} ${y - 4}v${BAR + 8}"/>
  <text class="value" x="${WIDTH - 20}" y="${y + 13}" text-anchor="end">${value.toFixed(2)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">
  <title id="title">CPU of others for each request, divided by ours</title>
  <style>${PICTURE_STYLE}
    .value { font-weight: 600 }
    .met { fill: #1a7f5a }
    .missed { fill: #b35900 }
    .target { stroke: #1f2328; stroke-width: 2 }
    .equal { stroke: #59636e; stroke-dasharray: 3 4 }
    @media (prefers-color-scheme: dark) {
      .met { fill: #3fb984 }
      .missed { fill: #e08a3c }
      .target { stroke: #f0f6fc }
      .equal { stroke: #9198a1 }
    }
  </style>
  <rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>
  <text class="head" x="16" y="26">CPU of others for each request ÷ ours</text>
  <text class="small" x="16" y="44">Longer is better for ours, which stores, deduplicates and settles; at 1 both cost the same.</text>
  <path class="equal" d="M${equal} ${TOP - 10}V${height - 26}"/>
  <text class="small" x="${equal}" y="${height - 10}" text-anchor="middle">1, equal</text>
  <text class="small" x="16" y="${height - 10}">The stroke on each bar is the least that is asked of it.</text>
  ${bars.join('\n  ')}
</svg>
`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
