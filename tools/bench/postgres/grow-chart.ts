/** What processes store and handle together, as bars; a picture with its own background, for a light and a dark page. */
import { PICTURE_STYLE } from '../chart.ts'
import { type Grown, of, PROCESSES, ROUND_TRIPS } from './grow.ts'

const WIDTH = 760
const LEFT = 250
const RIGHT = 150
const TOP = 62
const ROW = 28
const BAR = 16
const GAP = 12

export function growChart(grown: Grown): string {
  const rows = ROUND_TRIPS.flatMap((ms, group) =>
    PROCESSES.map((processes, nth) => ({
      label: `${processes} ${processes === 1 ? 'process' : 'processes'}, ${ms === 0 ? 'beside the server' : `a round trip of ${ms} ms`}`,
      value: of(grown, processes, ms).handled,
      times: of(grown, processes, ms).handled / of(grown, 1, ms).handled,
      kind: ms === 0 ? 'near' : 'far',
      y: TOP + (group * PROCESSES.length + nth) * ROW + group * GAP,
    })),
  )
  const most = Math.max(...rows.map(({ value }) => value))
  const height = TOP + rows.length * ROW + GAP + 16
  const bars = rows.map(({ label, value, times, kind, y }) => {
    const width = Math.round((value / most) * (WIDTH - LEFT - RIGHT))
    return `<text x="${LEFT - 12}" y="${y + 13}" text-anchor="end">${label}</text>
  <rect class="${kind}" x="${LEFT}" y="${y}" width="${width}" height="${BAR}" rx="2"/>
  <text class="value" x="${WIDTH - 20}" y="${y + 13}" text-anchor="end">${Math.round(value).toLocaleString('en')}, × ${times.toFixed(1)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">
  <title id="title">Deliveries that processes over one database store and handle a second</title>
  <style>${PICTURE_STYLE}
    .value { font-weight: 600 }
    .near { fill: #59636e }
    .far { fill: #1a7f5a }
    @media (prefers-color-scheme: dark) {
      .near { fill: #9198a1 }
      .far { fill: #3fb984 }
    }
  </style>
  <rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>
  <text class="head" x="16" y="26">Deliveries stored and handled a second</text>
  <text class="small" x="16" y="44">Over one PostgreSQL database. Behind each figure: how many times that of one process.</text>
  ${bars.join('\n  ')}
</svg>
`
}
