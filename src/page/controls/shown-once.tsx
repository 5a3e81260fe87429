import { copyText } from '../parts/copy.ts'

interface ShownOnceProps {
  /** What it is: `The new signing secret`. */
  readonly what: string
  readonly value: string
  readonly next: string
  readonly put: () => void
}

/** A secret that is to be seen this once. */
export function ShownOnce({ what, value, next, put }: ShownOnceProps) {
  return (
    <div class="once" role="status">
      <p>
        <b>{what}</b> is shown this once.
      </p>
      <code>{value}</code>
      <p class="hint">{next}</p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => copyText(value, what)}>
          Copy
        </button>
        <button type="button" onClick={put}>
          Done
        </button>
      </div>
    </div>
  )
}
