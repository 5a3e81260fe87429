import { expectationOf } from '../../testing/play/compare.ts'
import type { PlayAct, PlayExpected, PlayStep } from '../../testing/play/file.ts'
import { messageView } from '../../testing/message-view.ts'
import { spanOf } from '../text/time.ts'
import { CONTROL } from '../wire/control.ts'
import type { Happening } from '../wire/happenings.ts'
import type { ThreadItem } from '../wire/types.ts'
import { actOf } from './play-file.ts'

export interface Recorded {
  readonly steps: readonly RecordedStep[]
  /** What was left out and why, each once. */
  readonly notes: readonly string[]
  /** What came to the phones by template, as `name language`. */
  readonly templates: readonly string[]
}

export interface Recordable {
  readonly happenings: readonly Happening[]
  /** Recorded is what came after the happening with this id; empty: all. */
  readonly after: string
  /** The last one that is recorded; undefined: it goes on. */
  readonly until?: string | undefined
  /** How far the clock was off when the happenings began. */
  readonly offsetMs?: number
  /** What the events said, by their ids. */
  readonly payloads?: ReadonlyMap<string, unknown>
}

/**
 * Makes steps of what happened: a customer's message begins one, what comes to a phone for the first time is expected
 * of it, and so is what the service refuses; a jump of the clock is a step of its own, and so is an event of which the
 * service does not tell by itself.
 */
export function record({ happenings, after, until, offsetMs = 0, payloads = new Map() }: Recordable): Recorded {
  const tape = newTape({ offsetMs, payloads, byHand: firedByHand(happenings), isOn: after === '' })
  for (const happening of happenings) {
    hear(tape, happening)
    if (happening.id === after) tape.isOn = true
    if (happening.id === until) break
  }
  if (!tape.isOn) tape.notes.add('The timeline does not reach back to where this recording began.')
  return { steps: tape.steps, notes: [...tape.notes], templates: [...tape.templates] }
}

function hear(tape: Tape, happening: Happening): void {
  switch (happening.kind) {
    case 'thread':
      return hearItem(tape, happening.id, happening.customer, happening.item)
    case 'clock':
      return hearClock(tape, happening.id, happening.clock.offsetMs)
    case 'event':
      return hearEvent(tape, happening.id, happening.event)
    case 'resync':
      return hearReset(tape)
    default:
  }
}

function hearItem(tape: Tape, id: string, customer: string, item: ThreadItem): void {
  const phone = tape.phones.get(customer) ?? new Map<string, ThreadItem>()
  tape.phones.set(customer, phone)
  const before = [...phone.values()]
  const isKnown = phone.has(item.id)
  phone.set(item.id, item)
  // Then it is a status, or from before the recording.
  if (isKnown || !tape.isOn) return
  if (item.direction === 'OUTBOUND') return expect(tape, customer, item)
  const act = actOf(customer, item, before)
  if (act) begin(tape, id, act)
  else tape.notes.add(`A message of ${customer} is left out: no step can do it again.`)
}

const LEFT_OUT = {
  agent: "The AI agent's messages are left out: in a test there is none.",
  dashboard: 'Messages from the dashboard are left out: no step writes there.',
} as const

function expect({ steps, notes, templates }: Tape, to: string, item: ThreadItem): void {
  const last = steps.at(-1)
  if (item.by !== undefined) return void notes.add(LEFT_OUT[item.by])
  if (last === undefined) return void notes.add('What came before the first step is left out.')
  if (item.template && !item.refused) templates.add(`${item.template.name} ${item.template.language}`)
  last.step.expect.push(expectationOf({ ...messageView(item), to }))
}

/** Jumps with nothing between them are one. */
function hearClock(tape: Tape, id: string, offsetMs: number): void {
  const byMs = offsetMs - tape.offsetMs
  tape.offsetMs = offsetMs
  if (!tape.isOn || byMs === 0) return
  if (byMs < 0) return void tape.notes.add('The clock was set back: no step does that, and it is left out.')
  const last = tape.steps.at(-1)
  const jumpedMs = last?.step.expect.length === 0 ? last.jumpedMs : undefined
  if (last === undefined || jumpedMs === undefined) return begin(tape, id, { advance: spanOf(byMs) }, byMs)
  last.jumpedMs = jumpedMs + byMs
  last.step = { advance: spanOf(last.jumpedMs), expect: [] }
}

function hearEvent(tape: Tape, id: string, event: { readonly id: string; readonly event: string }): void {
  if (!tape.isOn || (isToldByItself(event.event) && !tape.byHand.has(event.id))) return
  const payload = tape.payloads.get(event.id)
  if (typeof payload === 'object' && payload !== null && !Array.isArray(payload))
    begin(tape, id, { event: event.event, payload: payload as Record<string, unknown> })
  else tape.notes.add(`The event ${event.event} is left out: what it said is not known, or no JSON object.`)
}

/** Ids and times begin anew: nothing of before goes with what comes. */
function hearReset(tape: Tape): void {
  tape.phones.clear()
  tape.offsetMs = 0
  if (tape.steps.splice(0).length > 0)
    tape.notes.add('The state was reset or restored: the steps before that are left out.')
}

export interface RecordedStep {
  /** The id of the happening that began it. */
  readonly id: string
  readonly step: PlayStep
}

/** A step to which what comes is still added. */
interface OpenStep {
  readonly id: string
  step: PlayAct & { readonly expect: PlayExpected[] }
  /** Of a jump of the clock: how far. */
  jumpedMs?: number | undefined
}

/** Where a recording stands while it is made. */
export interface Tape {
  readonly steps: OpenStep[]
  readonly notes: Set<string>
  readonly templates: Set<string>
  /** What each phone shows, by the ids of its items. */
  readonly phones: Map<string, Map<string, ThreadItem>>
  readonly payloads: ReadonlyMap<string, unknown>
  readonly byHand: ReadonlySet<string>
  /** How far the clock is off. */
  offsetMs: number
  /** Whether what is heard is recorded yet. */
  isOn: boolean
}

export function newTape(o: Pick<Tape, 'payloads' | 'byHand' | 'offsetMs' | 'isOn'>): Tape {
  return { ...o, steps: [], notes: new Set(), templates: new Set(), phones: new Map() }
}

export function begin(tape: Tape, id: string, act: PlayAct, jumpedMs?: number): void {
  tape.steps.push({ id, step: { ...act, expect: [] }, jumpedMs })
}

/** These follow what a customer or the app does: a step that does it again brings them. */
export function isToldByItself(event: string): boolean {
  return event.startsWith('message.')
}

/** The ids of the events that somebody fired: the answer to the change stands right after them. */
export function firedByHand(happenings: readonly Happening[]): ReadonlySet<string> {
  const fired = new Set<string>()
  let latest: string | undefined
  for (const happening of happenings) {
    if (happening.kind === 'event') latest = happening.event.id
    if (happening.kind !== 'control') continue
    if (happening.method === 'POST' && happening.path === `${CONTROL}events` && happening.status < 300 && latest)
      fired.add(latest)
  }
  return fired
}

/**
 * After which happening a recording begins that has a message in it: before the message where the customer wrote it,
 * before what led to it where the app did. Empty: with the first one. Undefined where the timeline has no such message.
 */
export function beforeMessage(happenings: readonly Happening[], messageId: string): string | undefined {
  const index = happenings.findIndex((one) => one.kind === 'thread' && one.item.id === messageId)
  const message = happenings[index]
  if (message?.kind !== 'thread') return undefined
  const first = happenings.findLastIndex((one, at) => at <= index && mayHaveLedTo(message.customer, one))
  return first < 0 ? undefined : (happenings[first - 1]?.id ?? '')
}

function mayHaveLedTo(customer: string, happening: Happening): boolean {
  if (happening.kind === 'clock') return true
  return happening.kind === 'thread' && happening.customer === customer && happening.item.direction === 'INBOUND'
}
