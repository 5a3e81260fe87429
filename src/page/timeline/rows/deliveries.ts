import type { DeliveryChange, Happening } from '../../wire/happenings.ts'
import type { Messages } from './messages.ts'
import type { NewRow, Outcome, Sheet } from './table.ts'

type DeliveryHappening = Extract<Happening, { kind: 'delivery' }>

/** A first attempt that begins later than this was held back. */
const HELD_MS = 1_000

interface Known {
  /** The row of its latest attempt. */
  readonly seq: number
  readonly attempts: number
}

/** Makes rows of deliveries: one per attempt, and one that waits where there was none yet. */
export function createDeliveryRows(sheet: Sheet, messages: Messages) {
  const known = new Map<string, Known>()

  function add(happening: DeliveryHappening, number: number, before: number): void {
    const { attempts, id } = happening.delivery
    known.set(id, { seq: sheet.add({ ...rowOf(happening, messages, before), number }), attempts })
  }

  return function hear(happening: DeliveryHappening, number: number): void {
    const { delivery } = happening
    const before = known.get(delivery.id)
    if (before === undefined) return add(happening, number, 0)
    const { seq, attempts } = before
    const isNew = delivery.attempts > 0 && delivery.attempts !== attempts
    // Its row is there already: it was given up meanwhile.
    if (!isNew) return sheet.amend(seq, { note: noteOf(delivery), ...(attempts === 0 && outcomeOf(delivery)) })
    if (attempts > 0) {
      sheet.amend(seq, { note: undefined })
      return add(happening, number, attempts)
    }
    if (wasHeld(happening, sheet.at(seq)?.at)) {
      sheet.amend(seq, { outcome: { words: 'held back', tone: 'info' } })
      return add(happening, number, 0)
    }
    const { id: _id, at: _at, detail: _detail, ...ended } = rowOf(happening, messages, 0)
    sheet.amend(seq, ended)
    known.set(delivery.id, { seq, attempts: delivery.attempts })
  }
}

function wasHeld({ at, delivery }: DeliveryHappening, since = at): boolean {
  return Date.parse(at) - (delivery.last?.tookMs ?? 0) - Date.parse(since) > HELD_MS
}

function rowOf({ id, at, delivery }: DeliveryHappening, messages: Messages, before: number): Omit<NewRow, 'number'> {
  const { event, last, attempts } = delivery
  const [customer, message] = [delivery.customer ?? undefined, delivery.message ?? undefined]
  // Attempts that are too old are not counted any more.
  const attempt = attempts === 0 ? 0 : Math.max(attempts, before + 1)
  const about = event === 'message.status' ? messages.status(message) : undefined
  const detail = [attemptText(attempt, before), about ?? messages.preview(message)].filter((part) => part !== undefined)
  return {
    id,
    at,
    kind: 'delivery',
    direction: 'out',
    what: event,
    ...(detail.length > 0 && { detail: detail.join(' · ') }),
    note: noteOf(delivery),
    ...outcomeOf(delivery),
    delivery: delivery.id,
    attempt,
    ...(last && { tookMs: last.tookMs }),
    ...(customer !== undefined && { customer }),
    ...(message !== undefined && { message }),
  }
}

/** Two at the very same time are told together. */
function attemptText(attempt: number, before: number): string | undefined {
  if (attempt > before + 1) return `attempts ${before + 1}–${attempt}`
  return attempt > 1 ? `attempt ${attempt}` : undefined
}

const ERRORS: Readonly<Record<string, string>> = {
  timeout: 'timed out',
  connection_refused: 'refused',
  connection_failed: 'broken off',
  answer_lost: 'answer lost',
}

function outcomeOf(delivery: DeliveryChange): Pick<NewRow, 'outcome' | 'status' | 'code'> {
  const { state, last } = delivery
  if (last === undefined) return { outcome: state === 'pending' ? WAITS : NEVER_SENT }
  if (last.status === null) {
    const { error = 'no_answer' } = last
    return { outcome: { words: ERRORS[error] ?? 'no answer', tone: 'bad' }, code: error }
  }
  return { outcome: { words: String(last.status), tone: isTaken(delivery) ? 'good' : 'bad' }, status: last.status }
}

const WAITS: Outcome = { words: 'waits', tone: 'info' }
const NEVER_SENT: Outcome = { words: 'never sent', tone: 'bad' }

/** What follows a failed attempt. */
function noteOf(delivery: DeliveryChange): string | undefined {
  const { state, last } = delivery
  if (last === undefined || isTaken(delivery)) return undefined
  return { pending: 'will be retried', failed: 'given up', delivered: undefined }[state]
}

function isTaken({ last }: DeliveryChange): boolean {
  return last !== undefined && last.status !== null && last.status >= 200 && last.status <= 299
}
