/** The report of a soak's samples: a table, lines for the plot, and what grew. */
import type { Series } from './plot.ts'
import type { Figures } from './server.ts'

export interface Sample extends Figures {
  /** Since the beginning. */
  readonly minute: number
  /** Bytes of the write-ahead log, and of the database. */
  readonly wal: number
  readonly file: number
  /** Open files and sockets, as the system counts them. */
  readonly files: number
}

const MB = 1_000_000

/** One figure of a sample. `mayGrow`: its median in the last quarter ÷ that in the second one, at most. */
interface Figure {
  readonly name: string
  readonly of: (sample: Sample) => number
  readonly mayGrow?: number
}

const FIGURES: readonly Figure[] = [
  { name: 'heap, collected, MB', of: ({ heap }) => heap / MB, mayGrow: 1.1 },
  { name: 'resident memory, MB', of: ({ rss }) => rss / MB, mayGrow: 1.2 },
  { name: 'handles', of: ({ handles }) => handles, mayGrow: 1.5 },
  { name: 'open files and sockets', of: ({ files }) => files, mayGrow: 1.5 },
  { name: 'write-ahead log, MB', of: ({ wal }) => wal / MB, mayGrow: 1.5 },
  { name: 'lag, the median, ms', of: ({ lags }) => quantile(lags, 0.5), mayGrow: 1.5 },
  { name: 'lag, 99 of 100, ms', of: ({ lags }) => quantile(lags, 0.99) },
  { name: 'lag, the longest, ms', of: ({ lags }) => Math.max(0, ...lags) },
  { name: 'the file, MB', of: ({ file }) => file / MB },
]

/** The median of each quarter of the run. */
export function table(samples: readonly Sample[]): string {
  const heads = samples.length < 4 ? ['now'] : ['first quarter', 'second', 'third', 'last']
  const rows = FIGURES.map(({ name, of }) => {
    const values = heads.map((_, at) => format(quantile(quarter(samples, at, heads.length).map(of), 0.5)))
    return `| ${[name, ...values].join(' | ')} |`
  })
  return [`| | ${heads.join(' | ')} |`, `|---|${'---:|'.repeat(heads.length)}`, ...rows].join('\n')
}

/** The figures that are larger at the end than any steady state would explain. */
export function grown(samples: readonly Sample[]): string[] {
  const median = (at: number, of: Figure['of']) => quantile(quarter(samples, at, 4).map(of), 0.5)
  return FIGURES.filter(({ of, mayGrow }) => mayGrow !== undefined && median(3, of) > mayGrow * median(1, of)).map(
    ({ name, of }) => `${name}: ${format(median(1, of))}, then ${format(median(3, of))}`,
  )
}

export function seriesOf(samples: readonly Sample[]): Series[] {
  const line = (name: string) => samples.map(FIGURES.find((figure) => figure.name.startsWith(name))?.of ?? (() => 0))
  return [
    { label: 'memory', unit: 'MB', lines: { resident: line('resident'), heap: line('heap') } },
    {
      label: 'handles; open files and sockets',
      unit: 'count',
      lines: { files: line('open files'), handles: line('handles') },
    },
    { label: 'write-ahead log', unit: 'MB', lines: { log: line('write-ahead') } },
    {
      label: 'lag from post to accepted reply',
      unit: 'ms',
      lines: { '99 %': line('lag, 99'), median: line('lag, the median') },
    },
  ]
}

function quarter(samples: readonly Sample[], at: number, parts: number): readonly Sample[] {
  return samples.slice(Math.floor((at * samples.length) / parts), Math.floor(((at + 1) * samples.length) / parts))
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

function format(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1)
}
