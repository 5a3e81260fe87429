/** The customers' phones: the one place where a lost message or a doubled answer is seen for certain. */
export interface Shown {
  readonly direction: string
  readonly text: string | null
  readonly at: string
  readonly refused?: unknown
}

export interface Tally {
  /** Orders that customers wrote. */
  readonly written: number
  /** Orders of which the phone shows both messages, that it was noted and that it is ready. */
  readonly answered: number
  /** Messages on the phones beyond one of each. */
  readonly doubled: number
  /** When the oldest order was written that is not answered; `Infinity` if all are. */
  readonly oldest: number
}

/** Counts over the threads of all phones. No customer orders the same twice. */
export function tallyOf(threads: readonly (readonly Shown[])[]): Tally {
  const tally = { written: 0, answered: 0, doubled: 0, oldest: Infinity }
  for (const thread of threads) {
    const shown = timesShown(thread)
    for (const times of shown.values()) tally.doubled += times - 1
    for (const { direction, text, at } of thread) {
      if (direction !== 'INBOUND') continue
      const what = text?.replace('order ', '')
      tally.written++
      if (shown.has(`${what}: noted.`) && shown.has(`${what}: ready.`)) tally.answered++
      else tally.oldest = Math.min(tally.oldest, Date.parse(at))
    }
  }
  return tally
}

function timesShown(thread: readonly Shown[]): Map<string, number> {
  const shown = new Map<string, number>()
  for (const { direction, text, refused } of thread)
    if (direction === 'OUTBOUND' && !refused && text !== null) shown.set(text, (shown.get(text) ?? 0) + 1)
  return shown
}
