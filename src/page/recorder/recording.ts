import { computed, signal } from '@preact/signals'
import { notice, said } from '../components/messages.ts'
import { offsetMs } from '../state/clock.ts'
import { happenings, lastId } from '../state/follow.ts'
import { openPart } from '../state/view.ts'
import { read } from '../wire/control.ts'
import type { Happening } from '../wire/happenings.ts'
import { beforeMessage, record } from './record.ts'

/** From where to where it goes on the timeline; without `until` it goes on. */
interface Recording {
  readonly after: string
  readonly until?: string
}

const recording = signal<Recording | undefined>(undefined)
/** The steps that somebody took out, by their ids. */
export const dropped = signal<ReadonlySet<string>>(new Set())
export const name = signal('a conversation')
const payloads = signal<ReadonlyMap<string, unknown>>(new Map())

export const isRecording = computed(() => recording.value !== undefined && recording.value.until === undefined)

/** What was recorded so far, with nothing taken out. */
export const recorded = computed(() => {
  const it = recording.value
  if (it === undefined) return undefined
  return record({
    happenings: happenings.value,
    ...it,
    offsetMs: firstOffset(happenings.value),
    payloads: payloads.value,
  })
})

/** Records what happens from now on. */
export function startRecording(): void {
  begin(lastId())
  said.value = 'Recording. Play the customer, then stop.'
}

/** Records from a message of a conversation on, with what has happened since; the step that led to it comes along. */
export function recordFrom(messageId: string): void {
  const after = beforeMessage(happenings.peek(), messageId)
  if (after === undefined) {
    notice.value = 'What led to this message is older than the timeline. Record from a later one.'
    return
  }
  begin(after)
  openPart('recorder')
}

export function stopRecording(): void {
  const it = recording.peek()
  if (it === undefined) return
  recording.value = { after: it.after, until: lastId() }
  said.value = 'The recording has ended.'
  openPart('recorder')
  readPayloads().then(
    (read) => (payloads.value = read),
    // Then the events are left out, and a note says so.
    () => undefined,
  )
}

export function forgetRecording(): void {
  recording.value = undefined
}

export function drop(id: string): void {
  dropped.value = new Set([...dropped.peek(), id])
}

export function bringAllBack(): void {
  dropped.value = new Set()
}

function begin(after: string): void {
  recording.value = { after }
  bringAllBack()
}

/** How far the clock was off before its first jump on the timeline: only where none is told of, it is as now. */
function firstOffset(all: readonly Happening[]): number {
  return all.some(({ kind }) => kind === 'clock') ? 0 : offsetMs.peek()
}

interface Logged {
  readonly items: readonly { readonly id: string; readonly payload: string }[]
}

/** What the events said that the service still knows, by their ids. */
export async function readPayloads(): Promise<ReadonlyMap<string, unknown>> {
  const { items } = await read<Logged>('events')
  return new Map(items.map(({ id, payload }) => [id, parsed(payload)]))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
