import { unusualSettings } from '../../state/customers.ts'
import { faultSchedule, faultTitle } from '../../text/faults.ts'
import { formatDateTime, formatOffset } from '../../../ui/text/time.ts'
import { CONTROL_PATH } from '../../wire/control.ts'
import type { Happening } from '../../wire/happenings.ts'
import type { FaultRule } from '../../wire/types.ts'
import type { RowTable } from './table.ts'

type HappeningOf<Kind extends Happening['kind']> = Extract<Happening, { kind: Kind }>

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

/** Makes rows of windows that open and of the AI agent's pauses. Each row says until when, so the end is no row. */
export function createSpanRows(table: RowTable) {
  const ends = new Map<string, number>()
  /** The numbers that were written to. If there are several, each row names its number. */
  const numbers = new Set<string>()

  /** Starts or extends a span; returns true if it was not running before. */
  function start(key: string, at: string, until: string): boolean {
    const before = ends.get(key) ?? 0
    ends.set(key, Date.parse(until))
    return before <= Date.parse(at)
  }

  return {
    window({ id, at, window: { customer, number, closesAt } }: HappeningOf<'window'>, order: number): void {
      numbers.add(number)
      if (!start(`window ${customer} ${number}`, at, closesAt)) return
      const detail = `${numbers.size > 1 ? `to ${number} ` : ''}until ${formatDateTime(closesAt)}`
      const outcome = { label: 'open', tone: 'good' } as const
      table.add({ id, at, order, kind: 'window', customer, title: 'Window opened', detail, outcome })
    },

    agent({ id, at, agent }: HappeningOf<'agent'>, order: number): void {
      const { customer, number, state, pausedUntil, on } = agent
      // Without an agent there is nothing to pause.
      if (!on) return
      const key = `agent ${customer} ${number}`
      const about = { id, at, order, kind: 'agent', customer } as const
      if (state === 'paused' && pausedUntil !== null) {
        if (!start(key, at, pausedUntil)) return
        const outcome = { label: 'paused', tone: 'info' } as const
        table.add({ ...about, title: 'AI agent paused', detail: `until ${formatDateTime(pausedUntil)}`, outcome })
      } else if ((ends.get(key) ?? 0) > Date.parse(at)) {
        ends.delete(key)
        const outcome = { label: 'awake', tone: 'good' } as const
        table.add({ ...about, title: 'AI agent awake', detail: 'the customer asked for it', outcome })
      }
    },

    clear: () => ends.clear(),
  }
}
