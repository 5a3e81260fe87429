import type { DeliveryChange, Happening } from '../../wire/happenings.ts'
import type { MessageIndex, NewRow, Outcome, RowTable } from './table.ts'

type DeliveryHappening = Extract<Happening, { kind: 'delivery' }>

/** A first attempt that begins later than this was held back by a fault. */
const HELD_BACK_MS = 1_000

interface KnownDelivery {
  readonly seq: number
  readonly attempts: number
}

export function createDeliveryRows(table: RowTable, messages: MessageIndex) {
  const rowOf = createRowMaker(messages)
  const known = new Map<string, KnownDelivery>()

  function add(happening: DeliveryHappening, order: number, before: number): void {
    const { attempts, id } = happening.delivery
    known.set(id, { seq: table.add({ ...rowOf(happening, before), order }), attempts })
  }

  return function addDelivery(happening: DeliveryHappening, order: number): void {
    const { delivery } = happening
    const before = known.get(delivery.id)
    if (before === undefined) return add(happening, order, 0)
    const { seq, attempts } = before
    const isNew = delivery.attempts > 0 && delivery.attempts !== attempts
    // No new attempt, only a new state: the row of the latest attempt is updated.
    if (!isNew) return table.update(seq, { note: noteOf(delivery), ...(attempts === 0 && outcomeOf(delivery)) })
    if (attempts > 0) {
      table.update(seq, { note: undefined })
      return add(happening, order, attempts)
    }
    if (wasHeld(happening, table.at(seq)?.at)) {
      table.update(seq, { outcome: { label: 'held back', tone: 'info' } })
      return add(happening, order, 0)
    }
    const { id: _id, at: _at, detail: _detail, ...ended } = rowOf(happening, 0)
    table.update(seq, ended)
    known.set(delivery.id, { seq, attempts: delivery.attempts })
  }
}

function wasHeld({ at, delivery }: DeliveryHappening, since = at): boolean {
  return Date.parse(at) - (delivery.last?.tookMs ?? 0) - Date.parse(since) > HELD_BACK_MS
}

function createRowMaker(messages: MessageIndex) {
  return function rowOf({ id, at, delivery }: DeliveryHappening, before: number): Omit<NewRow, 'order'> {
    const { event, last, attempts } = delivery
    const [customer, message] = [delivery.customer ?? undefined, delivery.message ?? undefined]
    // The emulator drops old attempts, so its count can fall behind.
    const attempt = attempts === 0 ? 0 : Math.max(attempts, before + 1)
    const progress = event === 'message.status' ? delivery.status?.toLowerCase() : undefined
    const text = progress === undefined ? messages.preview(message) : undefined
    const detail = [attemptText(attempt, before), progress].filter((part) => part !== undefined)
    return {
      id,
      at,
      kind: 'delivery',
      direction: 'out',
      title: event,
      ...(detail.length > 0 && { detail: detail.join(' · ') }),
      ...(text !== undefined && { text }),
      note: noteOf(delivery),
      ...outcomeOf(delivery),
      delivery: delivery.id,
      attempt,
      ...(last && { tookMs: last.tookMs }),
      ...(customer !== undefined && { customer }),
      ...(message !== undefined && { message }),
    }
  }
}

function attemptText(attempt: number, before: number): string | undefined {
  if (attempt > before + 1) return `attempts ${before + 1}–${attempt}`
  return attempt > 1 ? `attempt ${attempt}` : undefined
}

const ERROR_LABELS: Readonly<Record<string, string>> = {
  timeout: 'timed out',
  connection_refused: 'refused',
  connection_failed: 'broken off',
  answer_lost: 'answer lost',
}

function outcomeOf(delivery: DeliveryChange): Pick<NewRow, 'outcome' | 'status' | 'code'> {
  const { state, last } = delivery
  if (last === undefined) return { outcome: state === 'pending' ? WAITING : NEVER_SENT }
  if (last.status === null) {
    const { error = 'no_answer' } = last
    return { outcome: { label: ERROR_LABELS[error] ?? 'no answer', tone: 'bad' }, code: error }
  }
  return { outcome: { label: String(last.status), tone: isAccepted(delivery) ? 'good' : 'bad' }, status: last.status }
}

const WAITING: Outcome = { label: 'waits', tone: 'info' }
const NEVER_SENT: Outcome = { label: 'never sent', tone: 'bad' }

function noteOf(delivery: DeliveryChange): string | undefined {
  const { state, last } = delivery
  if (last === undefined || isAccepted(delivery)) return undefined
  return { pending: 'will be retried', failed: 'given up', delivered: undefined }[state]
}

function isAccepted({ last }: DeliveryChange): boolean {
  return last !== undefined && last.status !== null && last.status >= 200 && last.status <= 299
}
