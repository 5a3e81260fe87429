import { messageView } from '../../testing/message-view.ts'
import { expectationOf } from '../../testing/play/compare.ts'
import type { CustomerAct, PlayAct, PlayExpected, PlayStep, Tapped, Who, Written } from '../../testing/play/file.ts'
import { isJsonObject } from '../../ui/text/json.ts'
import { toDuration } from '../../ui/text/time.ts'
import { CONTROL_PATH } from '../wire/control.ts'
import type { Happening } from '../wire/happenings.ts'
import type { ThreadItem } from '../wire/types.ts'
import { toCustomerAct } from './play-file.ts'

/** A recording as steps of a play file. */
export interface Recorded {
  readonly steps: readonly RecordedStep[]
  /** Sentences about what was left out and why. */
  readonly notes: readonly string[]
  /** The templates that reached a phone, as `name language`. */
  readonly templates: readonly string[]
}

/** The part of the timeline that is recorded. */
interface Recordable {
  readonly happenings: readonly Happening[]
  /** The recording starts after the happening with this id; empty for the first. */
  readonly after: string
  /** The id of the last recorded happening; undefined while the recording goes on. */
  readonly until?: string | undefined
  /** The clock's offset where the happenings begin. */
  readonly offsetMs?: number
  readonly payloads?: ReadonlyMap<string, unknown>
}

/**
 * Makes steps of happenings. A customer's message begins a step; every new message on a phone and every refused send
 * becomes an expectation of the step before it. A jump of the clock is a step of its own, and so is an event that does
 * not follow from messages.
 */
export function record({ happenings, after, until, offsetMs = 0, payloads = new Map() }: Recordable): Recorded {
  const state: RecorderState = {
    steps: [],
    notes: new Set(),
    templates: new Set(),
    phones: new Map(),
    payloads,
    byHand: eventsFiredByHand(happenings),
    offsetMs,
    isRecording: after === '',
  }
  for (const happening of happenings) {
    apply(state, happening)
    if (happening.id === after) state.isRecording = true
    if (happening.id === until) break
  }
  if (!state.isRecording) state.notes.add('The timeline does not reach back to where this recording began.')
  return { steps: state.steps, notes: [...state.notes], templates: [...state.templates] }
}

function apply(state: RecorderState, happening: Happening): void {
  switch (happening.kind) {
    case 'thread':
      return applyItem(state, happening.id, happening.customer, happening.item)
    case 'clock':
      return applyClock(state, happening.id, happening.clock.offsetMs)
    case 'event':
      return applyEvent(state, happening.id, happening.event)
    case 'resync':
      return applyReset(state)
    default:
  }
}

function applyItem(state: RecorderState, id: string, customer: string, item: ThreadItem): void {
  const phone = state.phones.get(customer) ?? new Map<string, ThreadItem>()
  state.phones.set(customer, phone)
  const before = [...phone.values()]
  const isKnown = phone.has(item.id)
  phone.set(item.id, item)
  // A known item only changed its status; other items may be older than the recording.
  if (isKnown || !state.isRecording) return
  if (item.direction === 'OUTBOUND') return expectItem(state, customer, item)
  const act = toCustomerAct(customer, item, before)
  if (act) writeOn(state, id, act, Date.parse(item.at))
  else state.notes.add(`A message of ${customer} is left out: no step can do it again.`)
}

/** The longest time between two messages that count as written in a row: a bot may gather them as a burst. */
const IN_A_ROW_MS = 5_000

/** Messages that a customer writes in a row are one step, if nothing came in between. */
function writeOn(state: RecorderState, id: string, act: Who & (Written | Tapped), at: number): void {
  const last = state.steps.at(-1)
  const row = last?.step.expect.length === 0 && 'customer' in last.step ? writtenOf(last.step) : undefined
  const isSame = row && row.who.customer === act.customer && row.who.number === act.number
  const isSoon = last?.writtenAt !== undefined && at - last.writtenAt <= IN_A_ROW_MS
  if (!last || !isSame || !isSoon || 'taps' in act) return beginStep(state, id, act, { writtenAt: at })
  const { customer: _customer, number: _number, ...written } = act
  last.step = { ...row.who, writes: [...row.writes, written], expect: [] }
  last.writtenAt = at
}

/** The messages of a step; undefined for a tap, which a bot handles alone. */
function writtenOf(step: CustomerAct): { readonly who: Who; readonly writes: readonly Written[] } | undefined {
  if ('taps' in step) return undefined
  const { customer, number } = step
  const who = { customer, ...(number !== undefined && { number }) }
  if ('writes' in step) return { who, writes: step.writes }
  return { who, writes: ['says' in step ? { says: step.says } : { sends: step.sends }] }
}

const LEFT_OUT = {
  agent: "The AI agent's messages are left out: in a test there is none.",
  dashboard: 'Messages from the dashboard are left out: no step writes there.',
} as const

function expectItem({ steps, notes, templates }: RecorderState, to: string, item: ThreadItem): void {
  const last = steps.at(-1)
  if (item.by !== undefined) return void notes.add(LEFT_OUT[item.by])
  if (last === undefined) return void notes.add('What came before the first step is left out.')
  if (item.template && !item.refused) templates.add(`${item.template.name} ${item.template.language}`)
  last.step.expect.push(expectationOf({ ...messageView(item), to }))
}

/** Adds a jump of the clock. Jumps with nothing between them become one. */
function applyClock(state: RecorderState, id: string, offsetMs: number): void {
  const byMs = offsetMs - state.offsetMs
  state.offsetMs = offsetMs
  if (!state.isRecording || byMs === 0) return
  if (byMs < 0) return void state.notes.add('The clock was set back: no step does that, and it is left out.')
  const last = state.steps.at(-1)
  const jumpedMs = last?.step.expect.length === 0 ? last.jumpedMs : undefined
  if (last === undefined || jumpedMs === undefined)
    return beginStep(state, id, { advance: toDuration(byMs) }, { jumpedMs: byMs })
  last.jumpedMs = jumpedMs + byMs
  last.step = { advance: toDuration(last.jumpedMs), expect: [] }
}

// The events of messages follow from these by themselves, and are repeated with them.
function applyEvent(state: RecorderState, id: string, event: { readonly id: string; readonly event: string }): void {
  if (!state.isRecording || (event.event.startsWith('message.') && !state.byHand.has(event.id))) return
  const payload = state.payloads.get(event.id)
  if (isJsonObject(payload)) beginStep(state, id, { event: event.event, payload })
  else state.notes.add(`The event ${event.event} is left out: what it said is not known, or no JSON object.`)
}

/** Ids and times start again after a reset, so the steps before it cannot stay. */
function applyReset(state: RecorderState): void {
  state.phones.clear()
  state.offsetMs = 0
  if (state.steps.splice(0).length > 0)
    state.notes.add('The state was reset or restored: the steps before that are left out.')
}

export interface RecordedStep {
  readonly id: string
  readonly step: PlayStep
}

interface OpenStep {
  readonly id: string
  step: PlayAct & { readonly expect: PlayExpected[] }
  jumpedMs?: number | undefined
  /** Set for what a customer writes: the time of the last message. */
  writtenAt?: number | undefined
}

interface RecorderState {
  readonly steps: OpenStep[]
  readonly notes: Set<string>
  readonly templates: Set<string>
  readonly phones: Map<string, Map<string, ThreadItem>>
  readonly payloads: ReadonlyMap<string, unknown>
  readonly byHand: ReadonlySet<string>
  offsetMs: number
  isRecording: boolean
}

function beginStep(
  state: RecorderState,
  id: string,
  act: PlayAct,
  more: Pick<OpenStep, 'jumpedMs' | 'writtenAt'> = {},
): void {
  state.steps.push({ id, step: { ...act, expect: [] }, ...more })
}

/** Finds the events that a user fired: on the timeline, the control call comes right after its event. */
function eventsFiredByHand(happenings: readonly Happening[]): ReadonlySet<string> {
  const fired = new Set<string>()
  let latest: string | undefined
  for (const happening of happenings) {
    if (happening.kind === 'event') latest = happening.event.id
    if (happening.kind !== 'control') continue
    if (happening.method === 'POST' && happening.path === `${CONTROL_PATH}events` && happening.status < 300 && latest)
      fired.add(latest)
  }
  return fired
}

/**
 * Finds the happening after which a recording must start to contain a message: right before a customer's message, or
 * before the customer's message that led to one of the app. Empty for the very start; undefined if the timeline does
 * not have the message.
 */
export function startBefore(happenings: readonly Happening[], messageId: string): string | undefined {
  const index = happenings.findIndex((one) => one.kind === 'thread' && one.item.id === messageId)
  const message = happenings[index]
  if (message?.kind !== 'thread') return undefined
  const first = happenings.findLastIndex((one, at) => at <= index && couldHaveCaused(message.customer, one))
  return first < 0 ? undefined : (happenings[first - 1]?.id ?? '')
}

function couldHaveCaused(customer: string, happening: Happening): boolean {
  if (happening.kind === 'clock') return true
  return happening.kind === 'thread' && happening.customer === customer && happening.item.direction === 'INBOUND'
}
