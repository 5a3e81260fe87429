/** What the chip of a row says. `event` is one that nobody was subscribed to. */
export type RowKind = 'call' | 'delivery' | 'event' | 'window' | 'agent' | 'clock' | 'endpoint' | 'change'

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain'

/** One line of the timeline. */
export interface Row {
  /** Of the happening that it came from. */
  readonly id: string
  /** Grows from row to row, also where rows before it are forgotten. */
  readonly seq: number
  /** The number of its happening, which tells what is no longer kept. */
  readonly number: number
  /** By the emulator's clock. */
  readonly at: string
  /** Which day that is here: the same for all rows of one day. */
  readonly day: number
  readonly kind: RowKind
  /** `in` came to the service, `out` went to the app. */
  readonly direction?: 'in' | 'out'
  readonly what: string
  readonly detail?: string
  /** What follows from it: `will be retried`, `given up`. */
  readonly note?: string | undefined
  /** How it ended, in a word or a status. */
  readonly outcome?: Outcome
  readonly tookMs?: number
  readonly customer?: string
  /** The id of the message on the phone that it is about. */
  readonly message?: string
  readonly call?: string
  readonly delivery?: string
  /** Of a delivery: which attempt, from 1; 0 while the first has not ended. */
  readonly attempt?: number
  readonly status?: number
  readonly code?: string
  /** All that a search looks through, in small letters. */
  readonly text: string
}

export interface Outcome {
  readonly words: string
  /** In full, where the words are short of something. */
  readonly title?: string
  readonly tone: Tone
}

/** What a row is made of. */
export type NewRow = Omit<Row, 'seq' | 'day' | 'text'>

/** The rows as they grow: a new one, or a change to one, costs the same however many there are. */
export interface Sheet {
  /** Answers the row's `seq`, by which it can be changed later. */
  add(row: NewRow): number
  amend(seq: number, change: Partial<NewRow>): void
  at(seq: number): Row | undefined
  /** Forgets those whose happening has a lower number. */
  dropBefore(number: number): void
  /** The same array as before where nothing has changed. */
  rows(): readonly Row[]
}

export function createSheet(): Sheet {
  let all: Row[] = []
  let shown: readonly Row[] = []
  let changed = false
  let next = 0
  const indexOf = (seq: number) => seq - (all[0]?.seq ?? next)
  return {
    add(row) {
      all.push({ ...row, seq: next, day: dayOf(row.at), text: textOf(row) })
      changed = true
      return next++
    },
    amend(seq, change) {
      const row = all[indexOf(seq)]
      if (row === undefined) return
      const amended = { ...row, ...change }
      all[indexOf(seq)] = { ...amended, text: textOf(amended) }
      changed = true
    },
    at: (seq) => all[indexOf(seq)],
    dropBefore(number) {
      const kept = all.findIndex((row) => row.number >= number)
      if (kept === 0 || all.length === 0) return
      all = kept < 0 ? [] : all.slice(kept)
      changed = true
    },
    rows() {
      if (changed) shown = [...all]
      changed = false
      return shown
    },
  }
}

function dayOf(at: string): number {
  const date = new Date(at)
  return (date.getFullYear() * 12 + date.getMonth()) * 31 + date.getDate()
}

function textOf({ kind, what, detail = '', note = '', outcome, customer = '', code = '', ...ids }: NewRow): string {
  const { delivery = '', message = '', call = '' } = ids
  return [kind, what, detail, note, outcome?.words ?? '', code, customer, delivery, message, call]
    .join(' ')
    .toLowerCase()
}
