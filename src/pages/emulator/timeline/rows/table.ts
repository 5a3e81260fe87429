import { tappedOption, type ThreadItem } from '../../wire/wire-types.ts'

/** `event` is an event without a subscribed endpoint. */
export type RowKind = 'call' | 'delivery' | 'event' | 'window' | 'agent' | 'clock' | 'endpoint' | 'change'

type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain'

export interface Row {
  readonly id: string
  /** Increases from row to row, and is never reused after old rows are dropped. */
  readonly seq: number
  /** The number of the happening. Old rows are dropped by it. */
  readonly order: number
  readonly at: string
  /** The day in this machine's time zone, as a number. */
  readonly day: number
  readonly kind: RowKind
  /** `in`: arrived at the service. `out`: went to the app. */
  readonly direction?: 'in' | 'out'
  readonly title: string
  readonly detail?: string
  readonly text?: string
  /** What happens next: `will be retried`, `given up`. */
  readonly note?: string | undefined
  readonly outcome?: Outcome
  readonly tookMs?: number
  readonly customer?: string
  readonly message?: string
  readonly call?: string
  readonly delivery?: string
  /** The number of a delivery's attempt, from 1; 0 before the first has ended. */
  readonly attempt?: number
  readonly status?: number
  readonly code?: string
  /** The text that a search reads, in lower case. */
  readonly searchText: string
}

export interface Outcome {
  readonly label: string
  /** The full label, if the label is shortened. */
  readonly tooltip?: string
  readonly tone: Tone
}

export type NewRow = Omit<Row, 'seq' | 'day' | 'searchText'>

/** The growing table of rows. Adding or changing a row takes constant time. */
export interface RowTable {
  /** Returns the row's `seq`, for later changes. */
  add(row: NewRow): number
  update(seq: number, change: Partial<NewRow>): void
  at(seq: number): Row | undefined
  dropBefore(order: number): void
  /** Returns the same array as before if nothing has changed. */
  rows(): readonly Row[]
}

export function createRowTable(): RowTable {
  let all: Row[] = []
  let snapshot: readonly Row[] = []
  let hasChanged = false
  let nextSeq = 0
  const indexOf = (seq: number) => seq - (all[0]?.seq ?? nextSeq)
  return {
    add(row) {
      all.push({ ...row, seq: nextSeq, day: dayOf(row.at), searchText: searchTextOf(row) })
      hasChanged = true
      return nextSeq++
    },
    update(seq, change) {
      const row = all[indexOf(seq)]
      if (row === undefined) return
      const updated = { ...row, ...change }
      all[indexOf(seq)] = { ...updated, searchText: searchTextOf(updated) }
      hasChanged = true
    },
    at: (seq) => all[indexOf(seq)],
    dropBefore(order) {
      const kept = all.findIndex((row) => row.order >= order)
      if (kept === 0 || all.length === 0) return
      all = kept < 0 ? [] : all.slice(kept)
      hasChanged = true
    },
    rows() {
      if (hasChanged) snapshot = [...all]
      hasChanged = false
      return snapshot
    },
  }
}

function dayOf(at: string): number {
  const date = new Date(at)
  return (date.getFullYear() * 12 + date.getMonth()) * 31 + date.getDate()
}

function searchTextOf(row: NewRow): string {
  const { kind, title, detail, text, note, outcome, code, customer, delivery, message, call } = row
  return [kind, title, detail, text, note, outcome?.label, code, customer, delivery, message, call]
    .map((part) => part ?? '')
    .join(' ')
    .toLowerCase()
}

/** The messages on all phones, so that the row of a call or a delivery can name its message. */
export interface MessageIndex {
  add(item: ThreadItem): void
  ofCall(call: string): string | undefined
  /** The beginning of the message's text, on one line. */
  preview(message: string | undefined): string | undefined
}

/** More characters than the widest screen shows on one line. The row cuts them to its width. */
const PREVIEW_LENGTH = 400

export function createMessageIndex(): MessageIndex {
  const byId = new Map<string, ThreadItem>()
  const byCall = new Map<string, string>()
  const known = (message: string | undefined) => (message === undefined ? undefined : byId.get(message))
  return {
    add(item) {
      byId.set(item.id, item)
      if (item.call !== undefined) byCall.set(item.call, item.id)
    },
    ofCall: (call) => byCall.get(call),
    preview(message) {
      const item = known(message)
      const text = (item && previewText(item))?.slice(0, PREVIEW_LENGTH).replaceAll(/\s+/g, ' ').trim() ?? ''
      return text === '' ? undefined : text
    },
  }
}

function previewText(item: ThreadItem): string {
  const { text, template, media, kind } = item
  const tapped = tappedOption(item)
  if (tapped) return tapped.title
  if (text !== null && text !== '') return text
  return template?.name ?? media?.caption ?? kind
}
