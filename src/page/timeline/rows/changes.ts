import { odditiesOf } from '../../state/customers.ts'
import { titleOf, whenOf } from '../../text/faults.ts'
import { clockText, offsetText } from '../../text/time.ts'
import { CONTROL } from '../../wire/control.ts'
import type { Happening } from '../../wire/happenings.ts'
import type { FaultRule } from '../../wire/types.ts'
import type { NewRow, Sheet } from './table.ts'

type Told<Kind extends Happening['kind']> = Extract<Happening, { kind: Kind }>

/** Changes through the control API that no other row tells. */
const CHANGES: Readonly<Record<string, string>> = {
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

/** Makes rows of what was changed behind the conversations. */
export function createChangeRows(sheet: Sheet) {
  let lastEndpoint: number | undefined
  const endpoints = new Set<string>()

  return {
    clock({ id, at, clock, movedMs }: Told<'clock'>, number: number): void {
      if (movedMs === 0) return
      const before = new Date(Date.parse(at) - movedMs).toISOString()
      const outcome = { words: offsetText(movedMs), tone: 'info' } as const
      const what = clock.offsetMs === 0 ? 'Clock reset' : movedMs > 0 ? 'Clock moved forward' : 'Clock moved back'
      sheet.add({ id, at: before, number, kind: 'clock', what, detail: `now ${clockText(clock.now)}`, outcome })
    },

    endpoint({ id, at, subscription }: Told<'subscription'>, number: number): void {
      const isKnown = endpoints.has(subscription.id)
      endpoints.add(subscription.id)
      const about = { id, at, number, kind: 'endpoint', detail: subscription.url } as const
      lastEndpoint = sheet.add(
        subscription.state === 'disabled'
          ? {
              ...about,
              what: 'Endpoint disabled',
              note: `${subscription.failures} failures in a row`,
              outcome: { words: 'disabled', tone: 'bad' },
            }
          : {
              ...about,
              what: isKnown ? 'Endpoint registered again' : 'Endpoint registered',
              outcome: { words: 'active', tone: 'good' },
            },
      )
    },

    control({ id, at, method, path, status, code, change }: Told<'control'>, number: number): void {
      const { name, customer } = named(path)
      const about = { id, at, number, kind: 'change', ...(customer !== undefined && { customer }) } as const
      if (status >= 400) {
        const outcome = { words: String(status), tone: 'bad' } as const
        const detail = `${method} ${path}`
        const why = typeof code === 'string' ? { code, note: code } : {}
        sheet.add({ ...about, ...why, what: 'Change refused', detail, outcome, status })
        return
      }
      // It says the same of one that goes as of one that comes.
      if (method === 'DELETE' && name === 'subscriptions' && lastEndpoint !== undefined)
        return sheet.amend(lastEndpoint, { what: 'Endpoint removed', outcome: { words: 'gone', tone: 'plain' } })
      const what = CHANGES[`${method} ${name}`]
      if (what !== undefined) sheet.add({ ...about, what, ...(change && { detail: changeInWords(change) }) })
    },

    handset({ id, at, customer, handset }: Told<'handset'>, number: number): void {
      const detail = odditiesOf(handset).join(', ') || 'as usual'
      sheet.add({ id, at, number, kind: 'change', customer, what: 'Handset changed', detail })
    },

    /** An event that went to nobody; the others are told by their deliveries. */
    event({ id, at, event }: Told<'event'>, number: number): void {
      if (event.deliveryIds.length > 0) return
      const outcome = { words: 'no endpoint', tone: 'warn' } as const
      const customer = event.customer ?? undefined
      const about = { id, at, number, kind: 'event', direction: 'out', what: event.event } as const
      sheet.add({ ...about, outcome, ...(customer !== undefined && { customer }) } satisfies NewRow)
    },

    anew({ id, at }: Told<'resync'>, number: number): void {
      sheet.add({ id, at, number, kind: 'change', what: 'Everything began anew', detail: 'by a reset or a snapshot' })
    },
  }
}

/** `customers/255…/handset` is named `customers/handset`, `templates/tpl_…` is `templates`. */
function named(path: string): { name: string; customer?: string } {
  const [first = '', second = '', third] = path.slice(CONTROL.length).split('/')
  if (first === 'customers' && third !== undefined) return { name: `${first}/${third}`, customer: second }
  return { name: first === 'keys' ? `${first}/${second}` : first }
}

/** What was changed: `suspended: true`, `plan.api: false`, `Lose the answer (the next send)`. */
export function changeInWords({ rules, ...others }: Readonly<Record<string, unknown>>): string {
  return [...(Array.isArray(rules) ? faultsInWords(rules as FaultRule[]) : []), ...pairsOf(others)].join(', ')
}

function faultsInWords(rules: readonly FaultRule[]): string[] {
  return rules.length === 0 ? ['none armed'] : rules.map((rule) => `${titleOf(rule)} (${whenOf(rule)})`)
}

function pairsOf(change: object, before = ''): string[] {
  return Object.entries(change).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? pairsOf(value, `${before}${name}.`)
      : [`${before}${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
}
