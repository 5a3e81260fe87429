import type { Outcome, Row } from './rows/table.ts'

/** The consequences of one cause in one line: a customer's message, its attempts, the replies and their statuses. */
export interface Turn {
  readonly id: string
  readonly rows: readonly Row[]
  readonly customer?: string
  /** The customer's words; what the app sent if nobody had written; else the name of the event. */
  readonly title: string
  /** True if the turn began with a message of the customer. */
  readonly isWritten: boolean
  /** The first reply, and how many came after it. */
  readonly answer?: string
  readonly moreAnswers: number
  /** The failures, beside the outcome: `will be retried`, `1 failure mended`. */
  readonly note?: string
  readonly outcome?: Outcome
}

/** The last turns that were made, by their latest row: a turn whose rows are the same stays the same object. */
const made = new WeakMap<Row, Turn>()

export function turnOf(id: string, rows: readonly Row[]): Turn {
  const latest = rows.at(-1) as Row
  const known = made.get(latest)
  if (known?.rows.length === rows.length && known.rows.every((row, index) => row === rows[index])) return known
  const turn = describe(id, rows, latest)
  made.set(latest, turn)
  return turn
}

/** Tells if a turn of these rows is shown as a turn: a single row is its own line, unless it is a customer's message. */
export function isFoldable(rows: readonly Row[]): boolean {
  return rows.length > 1 || rows.some(isReceived)
}

function describe(id: string, rows: readonly Row[], latest: Row): Turn {
  const received = rows.find(isReceived)
  const replies = repliesIn(rows)
  const [first, ...more] = replies
  const head = received ?? first ?? latest
  const customer = rows.find((row) => row.customer !== undefined)?.customer
  const answer = received === undefined ? undefined : first?.text
  const outcome = outcomeOf(rows, received, first)
  const note = noteOf(rows, outcome)
  return {
    id,
    rows,
    title: head.text ?? head.title,
    isWritten: received !== undefined,
    ...(customer !== undefined && { customer }),
    ...(answer !== undefined && { answer }),
    moreAnswers: more.length,
    ...(note !== undefined && { note }),
    ...(outcome && { outcome }),
  }
}

function isReceived({ title, message }: Row): boolean {
  return title === 'message.received' && message !== undefined
}

/** The first row of each message that was sent, by the app or by somebody else. A refused one never was. */
function repliesIn(rows: readonly Row[]): readonly Row[] {
  const byMessage = new Map<string, Row>()
  for (const row of rows)
    if (
      row.message !== undefined &&
      row.text !== undefined &&
      !isReceived(row) &&
      !isRefused(row) &&
      !byMessage.has(row.message)
    )
      byMessage.set(row.message, row)
  return [...byMessage.values()]
}

function isRefused({ kind, status = 0 }: Row): boolean {
  return kind === 'call' && status >= 400
}

/** The states that a message goes through, in their order. */
const PROGRESS = ['sent', 'delivered', 'read', 'played', 'failed'] as const

const NO_REPLY: Outcome = { label: 'no reply', tooltip: 'the app sent nothing until now', tone: 'plain' }

/** The last failure, if nothing has mended it since; else how far the reply came. */
function outcomeOf(rows: readonly Row[], received: Row | undefined, reply: Row | undefined): Outcome | undefined {
  const open = endsOf(rows).find(({ outcome }) => outcome?.tone === 'bad' || outcome?.tone === 'warn')
  if (open) return open.outcome
  const reached = Math.max(...rows.map(({ progress }) => PROGRESS.findIndex((one) => one === progress)))
  const label = PROGRESS[reached]
  if (label !== undefined) return { label, tone: label === 'failed' ? 'bad' : 'good' }
  if (reply) return { label: 'accepted', tone: 'plain' }
  if (received === undefined || received.outcome?.label === 'waits') return rows.at(-1)?.outcome
  return NO_REPLY
}

/** The latest row of each delivery, and the latest call: an earlier failure was tried again since. */
function endsOf(rows: readonly Row[]): readonly Row[] {
  const ends = new Map<string, Row>()
  for (const row of rows) ends.set(row.delivery ?? row.kind, row)
  return [...ends.values()]
}

function noteOf(rows: readonly Row[], outcome: Outcome | undefined): string | undefined {
  const shown = rows.find((row) => row.outcome === outcome && row.outcome?.tone === 'bad')
  const failures = rows.filter((row) => row.outcome?.tone === 'bad').length - (shown === undefined ? 0 : 1)
  const parts = [
    shown?.note ?? shown?.code,
    failures > 0 &&
      `${failures} ${failures === 1 ? 'failure' : 'failures'} ${shown === undefined ? 'mended' : 'before'}`,
  ].filter((part) => typeof part === 'string')
  return parts.length === 0 ? undefined : parts.join(' · ')
}
