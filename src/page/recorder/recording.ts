import { computed, signal } from '@preact/signals'
import { notice, toast } from '../../ui/components/messages.ts'
import { offsetMs } from '../state/clock.ts'
import { happenings, lastHappeningId } from '../state/follow.ts'
import { openSection } from '../state/view.ts'
import { parseJson } from '../../ui/text/json.ts'
import { read } from '../wire/control.ts'
import type { Happening } from '../wire/happenings.ts'
import { record, startBefore } from './record.ts'

/** The part of the timeline that is recorded: after one happening, until another; without `until` it goes on. */
interface Recording {
  readonly after: string
  readonly until?: string
}

const recording = signal<Recording | undefined>(undefined)
export const removedSteps = signal<ReadonlySet<string>>(new Set())
export const recordingName = signal('a conversation')
/** The payloads of events by their ids, known after the recording has stopped. */
const payloads = signal<ReadonlyMap<string, unknown>>(new Map())

export const isRecording = computed(() => recording.value !== undefined && recording.value.until === undefined)

/** The recording so far, including the steps that were taken out. */
export const recorded = computed(() => {
  const range = recording.value
  if (range === undefined) return undefined
  return record({
    happenings: happenings.value,
    ...range,
    offsetMs: firstOffset(happenings.value),
    payloads: payloads.value,
  })
})

export function startRecording(): void {
  begin(lastHappeningId())
  toast.value = 'Recording. Play the customer, then stop.'
}

/** Starts a recording at an earlier message, with the step that led to it and all that has happened since. */
export function recordFrom(messageId: string): void {
  const after = startBefore(happenings.peek(), messageId)
  if (after === undefined) {
    notice.value = 'What led to this message is older than the timeline. Record from a later one.'
    return
  }
  begin(after)
  openSection('recorder')
}

export function stopRecording(): void {
  const range = recording.peek()
  if (range === undefined) return
  recording.value = { after: range.after, until: lastHappeningId() }
  toast.value = 'The recording has ended.'
  openSection('recorder')
  readPayloads().then(
    (read) => (payloads.value = read),
    // Without payloads the events are left out, and a note says so.
    () => undefined,
  )
}

export function forgetRecording(): void {
  recording.value = undefined
}

export function removeStep(id: string): void {
  removedSteps.value = new Set([...removedSteps.peek(), id])
}

export function restoreSteps(): void {
  removedSteps.value = new Set()
}

function begin(after: string): void {
  recording.value = { after }
  restoreSteps()
}

/** The clock's offset where the timeline begins. It was zero if the timeline has a jump, and otherwise is as now. */
function firstOffset(all: readonly Happening[]): number {
  return all.some(({ kind }) => kind === 'clock') ? 0 : offsetMs.peek()
}

async function readPayloads(): Promise<ReadonlyMap<string, unknown>> {
  const { items } = await read<{ items: readonly { readonly id: string; readonly payload: string }[] }>('events')
  return new Map(items.map(({ id, payload }) => [id, parseJson(payload)]))
}
