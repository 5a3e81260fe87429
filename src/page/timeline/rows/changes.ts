import { unusualSettings } from '../../state/customers.ts'
import { faultSchedule, faultTitle } from '../../text/faults.ts'
import { formatDateTime, formatOffset } from '../../../ui/text/time.ts'
import { CONTROL_PATH } from '../../wire/control.ts'
import type { Happening } from '../../wire/happenings.ts'
import type { FaultRule } from '../../wire/types.ts'
import type { NewRow, RowTable } from './table.ts'

type HappeningOf<Kind extends Happening['kind']> = Extract<Happening, { kind: Kind }>

/** Makes rows of changes to the emulated service: its clock, endpoints, handsets and settings. */
export function createChangeRows(table: RowTable) {
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
      // The stream reports a removed endpoint like a registered one, and the control call comes right after.
      if (method === 'DELETE' && name === 'subscriptions' && lastEndpoint !== undefined)
        return table.update(lastEndpoint, { title: 'Endpoint removed', outcome: { label: 'gone', tone: 'plain' } })
      const title = CONTROL_CHANGES[`${method} ${name}`]
      if (title !== undefined) table.add({ ...about, title, ...(change && { detail: describeChange(change) }) })
    },

    handset({ id, at, customer, handset }: HappeningOf<'handset'>, order: number): void {
      const detail = unusualSettings(handset).join(', ') || 'as usual'
      table.add({ id, at, order, kind: 'change', customer, title: 'Handset changed', detail })
    },

    /** Adds an event that no endpoint was subscribed to; every other event has rows of its deliveries. */
    event({ id, at, event }: HappeningOf<'event'>, order: number, turn: string | undefined): void {
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
        ...(turn !== undefined && { turn }),
      })
    },

    reset({ id, at }: HappeningOf<'resync'>, order: number): void {
      table.add({ id, at, order, kind: 'change', title: 'Everything began anew', detail: 'by a reset or a snapshot' })
    },
  }
}

/** Control calls that become rows, since no other happening reports their change. */
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

/** Names a path without its ids: `customers/255…/handset` is `customers/handset`, `templates/tpl_…` is `templates`. */
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

interface Span {
  readonly endsAt: number
  readonly endRow: Omit<NewRow, 'order' | 'at'>
  isOver: boolean
}

const OPEN = { label: 'open', tone: 'good' } as const

/** Makes rows of windows and of the AI agent's pauses. The stream reports when they begin, but not when they end. */
export function createSpanRows(table: RowTable) {
  const spans = new Map<string, Span>()
  /** The numbers that were written to. If there are several, each row names its number. */
  const numbers = new Set<string>()
  let nextEnd = Number.POSITIVE_INFINITY

  /** Starts or extends a span; returns true if it was not running before. */
  function start(key: string, span: Omit<Span, 'isOver'>): boolean {
    const before = spans.get(key)
    spans.set(key, { ...span, isOver: false })
    nextEnd = Math.min(nextEnd, span.endsAt)
    return before === undefined || before.isOver
  }

  function findNextEnd(): void {
    nextEnd = Number.POSITIVE_INFINITY
    for (const { isOver, endsAt } of spans.values()) if (!isOver) nextEnd = Math.min(nextEnd, endsAt)
  }

  return {
    window(
      { id, at, window: { customer, number, closesAt } }: HappeningOf<'window'>,
      order: number,
      turn: string,
    ): void {
      numbers.add(number)
      const to = numbers.size > 1 ? `to ${number} ` : ''
      const about = { kind: 'window', customer } as const
      const endRow = {
        ...about,
        id: `${id}-closes`,
        title: 'Window closed',
        detail: `${to}24 h after the last message`,
        outcome: { label: 'closed', tone: 'plain' },
      } as const
      if (!start(`window ${customer} ${number}`, { endsAt: Date.parse(closesAt), endRow })) return
      const detail = `${to}until ${formatDateTime(closesAt)}`
      table.add({ ...about, id, at, order, turn, title: 'Window opened', detail, outcome: OPEN })
    },

    agent(
      { id, at, agent: { customer, number, state, pausedUntil, on } }: HappeningOf<'agent'>,
      order: number,
      turn: string | undefined,
    ): void {
      // Without an agent there is nothing to pause.
      if (!on) return
      const key = `agent ${customer} ${number}`
      const about = { kind: 'agent', customer } as const
      const within = turn === undefined ? {} : { turn }
      const awake = { title: 'AI agent awake', outcome: { label: 'awake', tone: 'good' } } as const
      if (state === 'paused' && pausedUntil !== null) {
        const endRow = { ...about, ...awake, id: `${id}-ends`, detail: 'the takeover window is over' } as const
        if (!start(key, { endsAt: Date.parse(pausedUntil), endRow })) return
        const outcome = { label: 'paused', tone: 'info' } as const
        const detail = `until ${formatDateTime(pausedUntil)}`
        table.add({ ...about, ...within, id, at, order, title: 'AI agent paused', detail, outcome })
      } else if (spans.get(key)?.isOver === false) {
        spans.delete(key)
        table.add({ ...about, ...within, ...awake, id, at, order, detail: 'the customer asked for it' })
      }
    },

    /** Adds the rows of all spans that have ended by `now`, at the times of their ends. */
    end(now: number, order: number): void {
      if (now < nextEnd) return
      const ended = [...spans.values()].filter((span) => !span.isOver && span.endsAt <= now)
      for (const span of ended.toSorted((a, b) => a.endsAt - b.endsAt)) {
        span.isOver = true
        table.add({ ...span.endRow, at: new Date(span.endsAt).toISOString(), order })
      }
      findNextEnd()
    },

    /** The clock went back to `now`: spans that end later run again. */
    reopen(now: number): void {
      for (const span of spans.values()) span.isOver &&= span.endsAt <= now
      findNextEnd()
    },

    clear(): void {
      spans.clear()
      findNextEnd()
    },
  }
}
