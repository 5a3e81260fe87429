import { unusualSettings } from '../../state/customer-list.ts'
import { faultSchedule, faultTitle } from '../../text/fault-words.ts'
import {
  createMessageIndex,
  createRowTable,
  type MessageIndex,
  type NewRow,
  type Outcome,
  type Row,
  type RowTable,
} from './table.ts'
import { CONTROL_PATH } from '../../wire/control.ts'
import { type DeliveryChange, type Happening, parseHappeningId, type FaultRule } from '../../wire/wire-types.ts'
import { formatDateTime, formatOffset } from '../../../ui/text/time.ts'

/** Turns happenings into rows. Continues where it stopped, so that it reads each happening once. */
interface Rows {
  /** Pass all available happenings, oldest first. Returns the same array as before if nothing has changed. */
  update(all: readonly Happening[]): readonly Row[]
}

export function createRows(): Rows {
  let builder = createBuilder()
  let last = ''

  return {
    update(all) {
      const seen = last === '' ? -1 : all.findLastIndex(({ id }) => id === last)
      // Either the emulator has started again, or happenings were missed.
      if (seen < 0) builder = createBuilder()
      for (let index = seen + 1; index < all.length; index++) builder.add(all[index] as Happening)
      last = all.at(-1)?.id ?? ''
      return builder.rows(all[0])
    },
  }
}

function createBuilder() {
  const table = createRowTable()
  const messages = createMessageIndex()
  const spans = createSpanRows(table)
  const changes = createChangeRows(table)
  const addDelivery = createDeliveryRows(table, messages)
  let order = 0

  function addRows(happening: Happening): void {
    switch (happening.kind) {
      case 'thread':
        return messages.add(happening.item)
      case 'api':
        table.add({ ...rowOfCall(happening, messages), order })
        return
      case 'delivery':
        return addDelivery(happening, order)
      case 'window':
        return spans.window(happening, order)
      case 'clock':
        return changes.clock(happening, order)
      case 'subscription':
        return changes.endpoint(happening, order)
      case 'event':
        return changes.event(happening, order)
      case 'control':
        return changes.control(happening, order)
      case 'handset':
        return changes.handset(happening, order)
      case 'resync':
        spans.clear()
        return changes.reset(happening, order)
      default:
    }
  }

  return {
    add(happening: Happening): void {
      order = parseHappeningId(happening.id).number
      addRows(happening)
    },
    rows(oldest: Happening | undefined): readonly Row[] {
      if (oldest) table.dropBefore(parseHappeningId(oldest.id).number)
      return table.rows()
    },
  }
}

type ApiHappening = Extract<Happening, { kind: 'api' }>

function rowOfCall(happening: ApiHappening, messages: MessageIndex): Omit<NewRow, 'order'> {
  const { id, at, call, method, path, status, code, tookMs, customer, spoilt } = happening
  const message = messages.ofCall(call)
  const text = messages.preview(message)
  return {
    id,
    at,
    kind: 'call',
    direction: 'in',
    title: `${method} ${path.replace(/^\/api\/v2(?=\/)/, '')}`,
    ...(code !== null && { detail: code }),
    ...(text !== undefined && { text }),
    outcome: outcomeOf(status, spoilt),
    tookMs,
    status,
    call,
    ...(code !== null && { code }),
    ...(customer !== null && { customer }),
    ...(message !== undefined && { message }),
  }
}

/** How a fault can spoil an answer: a label for the row, and a tooltip. */
const SPOILT_ANSWERS: Readonly<Record<string, readonly [label: string, tooltip: string]>> = {
  cut: ['cut off', 'the connection was closed without an answer'],
  reset: ['reset', 'the connection was reset without an answer'],
  half: ['half', 'the connection was closed in the middle of the answer'],
  never: ['no answer', 'no answer came'],
}

function outcomeOf(status: number, spoilt: string | undefined): Outcome {
  if (spoilt !== undefined) {
    const [label, tooltip] = SPOILT_ANSWERS[spoilt] ?? [spoilt, spoilt]
    // The status of a send that was not accepted is meaningless, because the send never reached the service.
    return { label: status < 400 ? `${status} ${label}` : label, tooltip, tone: 'warn' }
  }
  return { label: String(status), tone: status < 400 ? 'good' : 'bad' }
}

type HappeningOf<Kind extends Happening['kind']> = Extract<Happening, { kind: Kind }>

function createChangeRows(table: RowTable) {
  let lastEndpoint: number | undefined
  const endpoints = new Set<string>()

  return {
    clock({ id, at, clock, movedMs }: HappeningOf<'clock'>, order: number): void {
      if (movedMs === 0) return
      const before = new Date(Date.parse(at) - movedMs).toISOString()
      table.add({
        id,
        at: before,
        order,
        kind: 'clock',
        title: clock.offsetMs === 0 ? 'Clock reset' : movedMs > 0 ? 'Clock moved forward' : 'Clock moved back',
        detail: `now ${formatDateTime(clock.now)}`,
        outcome: { label: formatOffset(movedMs), tone: 'info' },
      })
    },

    endpoint({ id, at, subscription }: HappeningOf<'subscription'>, order: number): void {
      const isKnown = endpoints.has(subscription.id)
      endpoints.add(subscription.id)
      const about = { id, at, order, kind: 'endpoint', detail: subscription.url } as const
      lastEndpoint = table.add(
        subscription.state === 'disabled'
          ? {
              ...about,
              title: 'Endpoint disabled',
              note: `${subscription.failures} failures in a row`,
              outcome: { label: 'disabled', tone: 'bad' },
            }
          : {
              ...about,
              title: isKnown ? 'Endpoint registered again' : 'Endpoint registered',
              outcome: { label: 'active', tone: 'good' },
            },
      )
    },

    control({ id, at, method, path, status, code, change }: HappeningOf<'control'>, order: number): void {
      const { name, customer } = parsePath(path)
      const about = { id, at, order, kind: 'change', ...(customer !== undefined && { customer }) } as const
      if (status >= 400) {
        const why = typeof code === 'string' ? { code, note: code } : {}
        const outcome = { label: String(status), tone: 'bad' } as const
        table.add({ ...about, ...why, title: 'Change refused', detail: `${method} ${path}`, outcome, status })
        return
      }
      // The stream reports a removed endpoint like a registered one. The control call follows it.
      if (method === 'DELETE' && name === 'subscriptions' && lastEndpoint !== undefined)
        return table.update(lastEndpoint, { title: 'Endpoint removed', outcome: { label: 'gone', tone: 'plain' } })
      const title = CONTROL_CHANGES[`${method} ${name}`]
      if (title !== undefined) table.add({ ...about, title, ...(change && { detail: describeChange(change) }) })
    },

    handset({ id, at, customer, handset }: HappeningOf<'handset'>, order: number): void {
      const detail = unusualSettings(handset).join(', ') || 'as usual'
      table.add({ id, at, order, kind: 'change', customer, title: 'Handset changed', detail })
    },

    /** Adds an event without a subscribed endpoint. Every other event has rows of its deliveries. */
    event({ id, at, event }: HappeningOf<'event'>, order: number): void {
      if (event.deliveryIds.length > 0) return
      table.add({
        id,
        at,
        order,
        kind: 'event',
        direction: 'out',
        title: event.event,
        outcome: { label: 'no endpoint', tone: 'warn' },
        ...(event.customer !== null && { customer: event.customer }),
      })
    },

    reset({ id, at }: HappeningOf<'resync'>, order: number): void {
      table.add({ id, at, order, kind: 'change', title: 'Everything was reset', detail: 'by a reset or a snapshot' })
    },
  }
}

/** Control calls that become rows, because no other happening reports their change. */
const CONTROL_CHANGES: Readonly<Record<string, string>> = {
  'PUT faults': 'Faults changed',
  'POST keys/release': 'Keys released',
  'POST keys/forget': 'Keys forgotten',
  'PUT account': 'Account changed',
  'POST templates': 'Template added',
  'PUT templates': 'Template added',
  'PATCH templates': 'Template changed',
  'PUT assumptions': 'Assumptions changed',
  'PUT agent': 'AI agent changed',
  'POST customers/replies': 'A person replied in the dashboard',
}

/**
 * The name of a path without ids: `customers/255…/handset` is `customers/handset`, `templates/tpl_…` is `templates`.
 */
function parsePath(path: string): { name: string; customer?: string } {
  const [first = '', second = '', third] = path.slice(CONTROL_PATH.length).split('/')
  if (first === 'customers' && third !== undefined) return { name: `${first}/${third}`, customer: second }
  return { name: first === 'keys' ? `${first}/${second}` : first }
}

/** Describes a change: `suspended: true`, `plan.api: false`, `Lose the answer (the next 1)`. */
function describeChange({ rules, ...others }: Readonly<Record<string, unknown>>): string {
  return [...(Array.isArray(rules) ? describeFaults(rules as FaultRule[]) : []), ...pairsOf(others)].join(', ')
}

function describeFaults(rules: readonly FaultRule[]): string[] {
  return rules.length === 0 ? ['none armed'] : rules.map((rule) => `${faultTitle(rule)} (${faultSchedule(rule)})`)
}

function pairsOf(change: object, before = ''): string[] {
  return Object.entries(change).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? pairsOf(value, `${before}${name}.`)
      : [`${before}${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
}

/** Makes rows for windows that open. Each row contains the end, so the end has no row. */
function createSpanRows(table: RowTable) {
  const ends = new Map<string, number>()
  /** The numbers that customers wrote to. If there are several, each row names its number. */
  const numbers = new Set<string>()

  return {
    window({ id, at, window: { customer, number, closesAt } }: HappeningOf<'window'>, order: number): void {
      numbers.add(number)
      const [key, before] = [`${customer} ${number}`, ends.get(`${customer} ${number}`) ?? 0]
      ends.set(key, Date.parse(closesAt))
      // A later message only extends the window.
      if (before > Date.parse(at)) return
      const detail = `${numbers.size > 1 ? `to ${number} ` : ''}until ${formatDateTime(closesAt)}`
      const outcome = { label: 'open', tone: 'good' } as const
      table.add({ id, at, order, kind: 'window', customer, title: 'Window opened', detail, outcome })
    },

    clear: () => ends.clear(),
  }
}

type DeliveryHappening = Extract<Happening, { kind: 'delivery' }>

/** A first attempt that begins later than this was delayed by a fault. */
const HELD_BACK_MS = 1_000

interface KnownDelivery {
  readonly seq: number
  readonly attempts: number
}

function createDeliveryRows(table: RowTable, messages: MessageIndex) {
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
    // Only a new state, without a new attempt: the row of the latest attempt is updated.
    if (!isNew) return table.update(seq, { note: noteOf(delivery), ...(attempts === 0 && deliveryOutcome(delivery)) })
    if (attempts > 0) {
      table.update(seq, { note: undefined })
      return add(happening, order, attempts)
    }
    if (wasHeld(happening, table.at(seq)?.at)) {
      table.update(seq, { outcome: { label: 'delayed', tone: 'info' } })
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
      ...deliveryOutcome(delivery),
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
  connection_failed: 'connection lost',
  answer_lost: 'answer lost',
}

function deliveryOutcome(delivery: DeliveryChange): Pick<NewRow, 'outcome' | 'status' | 'code'> {
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
