import { formatDateTime, formatOffset } from '../../ui/text/time.ts'
import { type DeliveryChange, type Happening, tappedOption, type ThreadItem } from '../wire/wire-types.ts'

export interface Row {
  readonly id: string
  readonly at: string
  /** `in`: arrived at the service. `out`: went to the app. */
  readonly direction?: 'in' | 'out'
  readonly title: string
  readonly detail?: string | undefined
  readonly text?: string | undefined
  /** What happens next (`will be retried`), or why a delivery was repeated. */
  readonly note?: string | undefined
  readonly outcome?: Outcome
  readonly tookMs?: number | undefined
  readonly customer?: string | undefined
  readonly message?: string | undefined
  readonly call?: string
  readonly delivery?: string
  /** The number of a delivery's attempt, from 1; 0 before the first has ended. */
  readonly attempt?: number
}

interface Outcome {
  readonly label: string
  readonly tooltip?: string
  readonly tone: 'good' | 'warn' | 'bad' | 'info'
}

/** Turns happenings, oldest first, into rows. */
export function rowsOf(happenings: readonly Happening[]): readonly Row[] {
  const builder = new RowBuilder()
  for (const happening of happenings) builder.add(happening)
  return builder.rows
}

type Of<Kind extends Happening['kind']> = Extract<Happening, { kind: Kind }>

class RowBuilder {
  readonly rows: Row[] = []
  readonly #messages = createMessageIndex()
  readonly #deliveries = new Map<string, { readonly index: number; readonly attempts: number }>()
  readonly #windowEnds = new Map<string, number>()

  add(happening: Happening): void {
    const { id, at } = happening
    switch (happening.kind) {
      case 'thread':
        return this.#messages.add(happening.item)
      case 'api':
        this.rows.push(rowOfCall(happening, this.#messages))
        return
      case 'delivery':
        return this.#addDelivery(happening)
      case 'window':
        return this.#addWindow(happening)
      case 'subscription':
        this.rows.push(rowOfEndpoint(happening))
        return
      case 'clock':
        if (happening.movedMs !== 0) this.rows.push(rowOfClock(happening))
        return
      case 'event':
        // An event with deliveries has no row, because each delivery has one.
        if (happening.event.deliveryIds.length === 0) this.rows.push(rowOfEvent(happening))
        return
      case 'resync':
        this.#windowEnds.clear()
        this.rows.push({ id, at, title: 'Everything was reset' })
        return
      default:
    }
  }

  /** Each attempt has a row. Before the first attempt a delivery has a row too, which becomes the first attempt's. */
  #addDelivery(happening: Of<'delivery'>): void {
    const { rows } = this
    const { id, attempts } = happening.delivery
    const row = rowOfDelivery(happening, this.#messages)
    const known = this.#deliveries.get(id)
    const before = known && rows[known.index]
    if (known && before && (known.attempts === 0 || known.attempts === attempts)) {
      rows[known.index] = { ...row, id: before.id, at: before.at }
      this.#deliveries.set(id, { index: known.index, attempts })
      return
    }
    if (known && before && before.note !== REPEATED) rows[known.index] = { ...before, note: undefined }
    this.#deliveries.set(id, { index: rows.push(row) - 1, attempts })
  }

  #addWindow({ id, at, window: { customer, number, closesAt } }: Of<'window'>): void {
    const key = `${customer} ${number}`
    const isOpen = (this.#windowEnds.get(key) ?? 0) > Date.parse(at)
    this.#windowEnds.set(key, Date.parse(closesAt))
    // A later message only extends the window.
    if (isOpen) return
    const detail = `until ${formatDateTime(closesAt)}`
    this.rows.push({ id, at, customer, title: 'Window opened', detail, outcome: { label: 'open', tone: 'good' } })
  }
}

type Messages = ReturnType<typeof createMessageIndex>

/** More characters than the widest screen shows on one line. */
const PREVIEW_LENGTH = 400

function createMessageIndex() {
  const byId = new Map<string, ThreadItem>()
  const byCall = new Map<string, string>()
  return {
    add(item: ThreadItem): void {
      byId.set(item.id, item)
      if (item.call !== undefined) byCall.set(item.call, item.id)
    },
    ofCall: (call: string) => byCall.get(call),
    preview(message: string | null | undefined): string | undefined {
      const item = byId.get(message ?? '')
      return item && (previewText(item).slice(0, PREVIEW_LENGTH).replaceAll(/\s+/g, ' ').trim() || undefined)
    },
  }
}

function previewText(item: ThreadItem): string {
  const { text, template, media, kind } = item
  return (tappedOption(item)?.title ?? text) || (template?.name ?? media?.caption ?? kind)
}

/** For each fault that replaced an answer: a label for the row, and what it means for the app. */
export const SPOILT_ANSWERS: Readonly<Record<string, readonly [label: string, meaning: string]>> = {
  cut: ['cut off', 'The connection was closed instead of this answer: the app does not know the outcome of its call.'],
  never: ['no answer', 'This answer never went out: the app waits until it gives up.'],
}

function rowOfCall(happening: Of<'api'>, messages: Messages): Row {
  const { id, at, call, method, path, status, code, tookMs, customer, spoilt } = happening
  const message = messages.ofCall(call)
  return {
    id,
    at,
    direction: 'in',
    title: `${method} ${path.replace(/^\/api\/v2(?=\/)/, '')}`,
    detail: code ?? undefined,
    text: messages.preview(message),
    outcome: outcomeOfCall(status, spoilt),
    tookMs,
    call,
    customer: customer ?? undefined,
    message,
  }
}

function outcomeOfCall(status: number, spoilt: string | undefined): Outcome {
  if (spoilt === undefined) return { label: String(status), tone: status < 400 ? 'good' : 'bad' }
  const [label, tooltip] = SPOILT_ANSWERS[spoilt] ?? [spoilt, spoilt]
  // Show the status only of an accepted send. If the fault came before acceptance, the entry has a meaningless 500.
  return { label: status < 400 ? `${status} ${label}` : label, tooltip, tone: 'warn' }
}

function rowOfClock({ id, at, clock, movedMs }: Of<'clock'>): Row {
  return {
    id,
    at: new Date(Date.parse(at) - movedMs).toISOString(),
    title: clock.offsetMs === 0 ? 'Clock reset' : movedMs > 0 ? 'Clock moved forward' : 'Clock moved back',
    detail: `now ${formatDateTime(clock.now)}`,
    outcome: { label: formatOffset(movedMs), tone: 'info' },
  }
}

function rowOfEvent({ id, at, event: { event, customer } }: Of<'event'>): Row {
  const outcome = { label: 'no endpoint', tone: 'warn' } as const
  return { id, at, direction: 'out', title: event, customer: customer ?? undefined, outcome }
}

function rowOfEndpoint({ id, at, subscription: { url, state, failures } }: Of<'subscription'>): Row {
  const about = { id, at, title: `Endpoint ${state}`, detail: url }
  return state === 'active' ? about : { ...about, note: `${failures} failures in a row` }
}

function rowOfDelivery({ id, at, delivery }: Of<'delivery'>, messages: Messages): Row {
  const { event, attempts, last, customer, message, status } = delivery
  const progress = event === 'message.status' ? status?.toLowerCase() : undefined
  const detail = [attempts > 1 && `attempt ${attempts}`, progress].filter(Boolean).join(' · ')
  return {
    id,
    at,
    direction: 'out',
    title: event,
    detail: detail || undefined,
    text: progress === undefined ? messages.preview(message) : undefined,
    note: noteOf(delivery),
    outcome: outcomeOfDelivery(delivery),
    delivery: delivery.id,
    attempt: attempts,
    tookMs: last?.tookMs,
    customer: customer ?? undefined,
    message: message ?? undefined,
  }
}

const ERROR_LABELS: Readonly<Record<string, string>> = {
  timeout: 'timed out',
  connection_refused: 'refused',
  connection_failed: 'connection lost',
  answer_lost: 'answer lost',
}

function outcomeOfDelivery(delivery: DeliveryChange): Outcome {
  const { state, last } = delivery
  if (last === undefined)
    return state === 'pending' ? { label: 'waits', tone: 'info' } : { label: 'never sent', tone: 'bad' }
  if (last.status === null) return { label: ERROR_LABELS[last.error ?? ''] ?? 'no answer', tone: 'bad' }
  return { label: String(last.status), tone: isAccepted(delivery) ? 'good' : 'bad' }
}

const REPEATED = 'repeated, so that the app learns the new time'

function noteOf(delivery: DeliveryChange): string | undefined {
  const { state, last } = delivery
  if (last?.why === 'clock_moved') return REPEATED
  if (last === undefined || isAccepted(delivery)) return undefined
  return { pending: 'will be retried', failed: 'given up', delivered: undefined }[state]
}

function isAccepted({ last }: DeliveryChange): boolean {
  return last !== undefined && last.status !== null && last.status >= 200 && last.status <= 299
}

export function hasWords(row: Row, words: readonly string[]): boolean {
  const { title, detail, text, note, outcome, customer, delivery, message, call } = row
  const state = outcome?.tone === 'bad' && 'failed'
  const parts = [title, detail, text, note, outcome?.label, state, customer, delivery, message, call]
  const searched = parts.join(' ').toLowerCase()
  return words.every((word) => searched.includes(word))
}
