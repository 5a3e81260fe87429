interface PlotProps {
  readonly title: string
  readonly values: readonly number[]
  /** A second row of counts, drawn over the first: what went wrong of it. */
  readonly bad?: readonly number[]
  readonly format?: (value: number) => string
  readonly hint: string
}

const WIDTH = 240
const HEIGHT = 44
/** A young process has few spans: they stand at the right, as wide as they will be. */
const SPANS_AT_LEAST = 48

/** A small plot of counts in equal spans, the newest at the right. */
export function Plot({ title, values, bad, hint, format = (value) => value.toLocaleString('en') }: PlotProps) {
  const most = Math.max(1, ...values, ...(bad ?? []))
  const spans = Math.max(SPANS_AT_LEAST, values.length)
  const step = WIDTH / spans
  const bars = (counts: readonly number[]) =>
    counts
      .map((count, index) => {
        const height = count === 0 ? 0 : Math.max(1.5, (count / most) * HEIGHT)
        const width = Math.max(1, step - 1)
        return `M${((spans - counts.length + index) * step).toFixed(2)} ${HEIGHT}v${(-height).toFixed(2)}h${width.toFixed(2)}v${height.toFixed(2)}z`
      })
      .join('')
  return (
    <figure class="plot">
      <figcaption>
        <span>{title}</span>
        <b>{format(values.at(-1) ?? 0)}</b>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${title}: ${hint}`}>
        <path class="base" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
        <path class="bars" d={bars(values)} />
        {bad && <path class="bars bad" d={bars(bad)} />}
      </svg>
      <span class="muted">
        {hint}, at most {format(Math.max(0, ...values))}
      </span>
    </figure>
  )
}
