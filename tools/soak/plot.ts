/** Figures over time as lines, one small plot for each, in a picture that can be read on a light and a dark page. */
import { PICTURE_STYLE } from '../bench/chart.ts'

export interface Series {
  readonly label: string
  /** Each line with its name, and its value at each sample. */
  readonly lines: Readonly<Record<string, readonly number[]>>
  readonly unit: string
}

const WIDTH = 760
const LEFT = 70
const RIGHT = 110
const TOP = 56
const PLOT = 74
const ROW = 112
const COLOURS = ['first', 'second'] as const

/** @param minutes the time of each sample. */
export function plot(title: string, minutes: readonly number[], all: readonly Series[]): string {
  const height = TOP + all.length * ROW + 30
  const end = Math.max(1, ...minutes)
  const x = (minute: number) => round(LEFT + (minute / end) * (WIDTH - LEFT - RIGHT))
  const plots = all.map((series, row) => onePlot(series, minutes.map(x), TOP + row * ROW))
  const axis = [0, 0.5, 1].map((part) => {
    const minute = Math.round(end * part)
    return `<text class="small" x="${x(minute)}" y="${height - 14}" text-anchor="middle">${minute} min</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">
  <title id="title">${title}</title>
  <style>${PICTURE_STYLE}
    .axis { stroke: #8b949e; stroke-width: 1 }
    .first, .second { fill: none; stroke-width: 1.5; stroke-linejoin: round }
    .first { stroke: #1a7f5a }
    .second { stroke: #b35900 }
    @media (prefers-color-scheme: dark) {
      .first { stroke: #3fb984 }
      .second { stroke: #e08a3c }
    }
  </style>
  <rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>
  <text class="head" x="16" y="26">${title}</text>
  ${[...plots, ...axis].join('\n  ')}
</svg>
`
}

function onePlot({ label, lines, unit }: Series, xs: readonly number[], top: number): string {
  const most = ceiling(Math.max(1, ...Object.values(lines).flat()))
  const bottom = top + 18 + PLOT
  const y = (value: number) => round(bottom - (value / most) * PLOT)
  const drawn = Object.entries(lines).map(([name, values], at) => {
    const points = values.map((value, index) => `${xs[index]},${y(value)}`).join(' ')
    const last = values.at(-1) ?? 0
    // Names of lines that end close to each other would cover each other: they stand in the order of the lines.
    const place = top + 34 + at * 18
    return `<polyline class="${COLOURS[at]}" points="${points}"/>
  <path class="${COLOURS[at]}" d="M${WIDTH - RIGHT + 10} ${place - 4}h10"/>
  <text class="small" x="${WIDTH - RIGHT + 26}" y="${place}">${name} ${Math.round(last)}</text>`
  })
  return `<text class="small" x="${LEFT}" y="${top + 8}">${label}, ${unit}</text>
  <path class="axis" d="M${LEFT} ${top + 18}V${bottom}H${WIDTH - RIGHT}"/>
  <text class="small" x="${LEFT - 8}" y="${top + 26}" text-anchor="end">${most}</text>
  <text class="small" x="${LEFT - 8}" y="${bottom}" text-anchor="end">0</text>
  ${drawn.join('\n  ')}`
}

/** The next of 1, 2, 5, 10, 20, 50, … */
function ceiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
