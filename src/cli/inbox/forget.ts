import { maskPhone } from '../../base/mask.ts'
import { erasing } from '../../maintenance/maintenance.ts'
import type { Holding } from '../../stores/port/index.ts'
import { type DatabaseFlags, withStore } from '../support/database.ts'
import type { Io } from '../support/io.ts'
import { printResult } from '../support/output.ts'
import { askBefore } from '../support/prompt.ts'
import { NOT_WHOLE, pruneAll } from './prune.ts'

interface ForgetFlags extends DatabaseFlags {
  readonly number?: string
  readonly yes?: boolean
}

/** Erases what is kept about a customer, on one number or on all. */
export async function forget(io: Io, customer: string, flags: ForgetFlags): Promise<void> {
  await withStore(io, flags, async (store) => {
    const holding = await store.holding(customer)
    const numbers = flags.number === undefined ? Object.keys(holding.numbers) : [flags.number]
    const before = heldOn(numbers, holding)
    const what = `erase ${countsOf(before)} of ${maskPhone(customer)}, and cannot be undone`
    if (!flags.yes) await askBefore(io, what, flags.json, 'nothing was erased')
    // Deliveries that were never read for their customer belong to no number: erasing on any number erases them.
    for (const number of numbers.length > 0 ? numbers : ['default'])
      await store.forget({ number, customer }, store.clock())
    for await (const _ of erasing(store));
    // At no minimum age: this pass frees the space.
    await pruneAll(store, { bytesBefore: 0, idsBefore: 0, now: store.clock() })
    const { whole } = await store.compact()
    printErased(io, customer, before, heldOn(numbers, await store.holding(customer)), whole, flags)
  })
}

/** The members of the JSON output. */
type Held = Record<
  'items' | 'sends' | 'sessions' | 'windows' | 'silences' | 'conversations' | 'timers' | 'unread',
  number
>

function heldOn(numbers: readonly string[], holding: Holding): Held {
  const sum = (what: 'items' | 'sends' | 'sessions' | 'windows' | 'mutes' | 'conversations' | 'timers') =>
    numbers.reduce((total, number) => total + (holding.numbers[number]?.[what] ?? 0), 0)
  return {
    items: sum('items'),
    sends: sum('sends'),
    sessions: sum('sessions'),
    windows: sum('windows'),
    silences: sum('mutes'),
    conversations: sum('conversations'),
    timers: sum('timers'),
    unread: holding.naming,
  }
}

function printErased(
  io: Io,
  customer: string,
  before: Held,
  after: Held,
  whole: boolean | undefined,
  flags: ForgetFlags,
): void {
  const names = Object.keys(before) as (keyof Held)[]
  const erased = Object.fromEntries(
    names.map((name) => [name, Math.max(0, before[name] - after[name])]),
  ) as unknown as Held
  const left = after.items + after.sends
  const lines = [`Erased of ${maskPhone(customer)}: ${countsOf(erased)}.`]
  if (left > 0) lines.push(`${left} still under way: the app erases that within an hour of its end.`)
  if (whole === false) lines.push(NOT_WHOLE)
  printResult(io, flags, { customer: maskPhone(customer), erased, left, whole }, ...lines)
}

const NAMES: Readonly<Record<keyof Held, readonly [one: string, many: string]>> = {
  items: ['item', 'items'],
  sends: ['send', 'sends'],
  sessions: ['session', 'sessions'],
  windows: ['window', 'windows'],
  silences: ['silence', 'silences'],
  conversations: ['conversation', 'conversations'],
  timers: ['timer', 'timers'],
  unread: ['delivery that nobody handled', 'deliveries that nobody handled'],
}

function countsOf(held: Held): string {
  const counts = (Object.keys(NAMES) as (keyof Held)[])
    .filter((name) => held[name] > 0)
    .map((name) => `${held[name]} ${NAMES[name][held[name] === 1 ? 0 : 1]}`)
  return counts.join(', ') || 'nothing'
}
