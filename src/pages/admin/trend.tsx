import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { TrendView } from '../../admin/api.ts'
import { formatDay, formatSpan, formatTime } from '../ui/text/time.ts'
import { When } from './parts.tsx'
import { get } from './server.ts'

type Span = TrendView['hours'][number]

const shown = signal<TrendView | undefined>(undefined)
const READ_EVERY_MS = 60_000

/** Shows the last day and week. Each measure has its own chart, so that no colour has to tell two apart. */
export function Trend() {
  useEffect(() => {
    const read = () => {
      const offset = -new Date().getTimezoneOffset()
      if (!document.hidden)
        get<TrendView>(`api/trend?offset=${offset}`).then(
          (value) => (shown.value = value),
          () => {},
        )
    }
    read()
    const timer = setInterval(read, READ_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  const value = shown.value
  if (value === undefined) return null
  return (
    <>
      <Period title="Last 24 hours" spans={value.hours} label={({ from }) => formatTime(from)} />
      <Period title="Last 7 days" spans={value.days} label={({ from }) => formatDay(from)} />
      {value.countedFrom !== undefined && (
        <p class="muted small">
          Only the newest messages are counted, from <When at={value.countedFrom} /> on.
        </p>
      )}
    </>
  )
}

const MEASURES = [
  ['received', 'Messages received'],
  ['answered', 'Answered'],
  ['failed', 'Failed'],
  ['waiting', 'Still waiting for a person'],
  ['answerMs', 'Time to the answer (median)'],
] as const

type Measure = (typeof MEASURES)[number][0]

function Period({ title, spans, label }: { title: string; spans: readonly Span[]; label: (span: Span) => string }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <div class="charts" aria-hidden="true">
        {MEASURES.map(([measure, name]) => (
          <Chart key={measure} measure={measure} name={name} spans={spans} label={label} />
        ))}
      </div>
      <div class="visually-hidden">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">From</th>
              {MEASURES.map(([measure, name]) => (
                <th key={measure} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {spans.map((span) => (
              <tr key={span.from}>
                <th scope="row">{label(span)}</th>
                {MEASURES.map(([measure]) => (
                  <td key={measure}>{textOf(measure, span[measure])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const WIDTH = 240
const HEIGHT = 56

interface ChartProps {
  readonly measure: Measure
  readonly name: string
  readonly spans: readonly Span[]
  readonly label: (span: Span) => string
}

function Chart({ measure, name, spans, label }: ChartProps) {
  const values = spans.map((span) => span[measure] ?? 0)
  const most = Math.max(...values)
  const sum = values.reduce((all, one) => all + one, 0)
  const step = WIDTH / spans.length
  const [first, last] = [spans[0], spans.at(-1)]
  return (
    <div class="card chart">
      <span class="muted small">{name}</span>
      <b>{measure === 'answerMs' ? most > 0 && `at most ${textOf(measure, most)}` : sum.toLocaleString('en')}</b>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        <path d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
        {spans.map((span, nth) => {
          const height = most === 0 ? 0 : Math.ceil(((values[nth] ?? 0) / most) * (HEIGHT - 2))
          return (
            <rect key={span.from} x={nth * step + 1} y={HEIGHT - height} width={step - 2} height={height}>
              <title>{`${label(span)}: ${textOf(measure, span[measure])}`}</title>
            </rect>
          )
        })}
      </svg>
      <span class="ends muted small">
        <span>{first && label(first)}</span>
        <span>{last && label(last)}</span>
      </span>
    </div>
  )
}

const SHORT_MS = 10_000

function textOf(measure: Measure, value: number | undefined): string {
  if (measure !== 'answerMs') return (value ?? 0).toLocaleString('en')
  if (value === undefined) return '–'
  return value < SHORT_MS ? `${(Math.ceil(value / 100) / 10).toFixed(1)} s` : formatSpan(value)
}
