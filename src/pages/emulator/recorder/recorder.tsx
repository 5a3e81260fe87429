import { computed, signal } from '@preact/signals'
import { describeReply, describeStep } from '../../../emulator/recording/describe-recording.ts'
import { testOf, type Range, record, recordingOf } from './record.ts'
import type { RecordedStep } from '../../../emulator/recording/recording.ts'
import { copyText } from '../../ui/components/copy.ts'
import { parseJson } from '../../ui/text/json.ts'
import { templates } from '../state/service.ts'
import { happenings, lastHappeningId } from '../state/follow.ts'
import { openSection } from '../state/view.ts'
import { read } from '../wire/control.ts'

const range = signal<Range | undefined>(undefined)
const name = signal('a conversation')
const payloads = signal<ReadonlyMap<string, unknown>>(new Map())
const steps = computed(() => (range.value ? record(happenings.value, range.value, payloads.value) : []))

export const isRecording = computed(() => range.value !== undefined && range.value.until === undefined)

export function startRecording(): void {
  range.value = { after: lastHappeningId() }
}

export function stopRecording(): void {
  const begun = range.peek()
  if (begun === undefined) return
  range.value = { ...begun, until: lastHappeningId() }
  openSection('recorder')
  // If the events cannot be read, they are left out.
  read<{ items: readonly { readonly id: string; readonly payload: string }[] }>('events').then(
    ({ items }) => (payloads.value = new Map(items.map(({ id, payload }) => [id, parseJson(payload)]))),
    () => undefined,
  )
}

export function RecordButton() {
  const isOn = isRecording.value
  return (
    <button
      type="button"
      class={`record ${isOn ? 'on' : ''}`}
      aria-pressed={isOn}
      onClick={isOn ? stopRecording : startRecording}
      title={isOn ? 'End the recording (Shift R)' : 'Record the conversation as a test (Shift R)'}
    >
      <i aria-hidden="true" />
      {isOn ? 'Stop' : 'Record'}
    </button>
  )
}

export function RecorderSection() {
  if (steps.value.length === 0)
    return <p class="hint">Record, write as the customer, stop. Then copy the conversation as a test, or save it.</p>
  const recording = () => recordingOf(name.value, steps.value, templates.value)
  const file = () => `${JSON.stringify(recording(), null, 2)}\n`
  return (
    <>
      <ol class="steps stack" aria-label="Recorded steps">
        {steps.value.map((step, index) => (
          <Step key={index} of={step} />
        ))}
      </ol>
      <label>
        Name
        <input value={name} autocomplete="off" onInput={({ currentTarget }) => (name.value = currentTarget.value)} />
      </label>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => copyText(testOf(recording()), 'The test')}>
          Copy as test
        </button>
        <button type="button" onClick={() => saveFile('recording.json', file())}>
          Save
        </button>
      </div>
    </>
  )
}

function Step({ of: step }: { of: RecordedStep }) {
  return (
    <li>
      <p class="act">{describeStep(step)}</p>
      {step.replies?.map((reply, index) => (
        <p class={`expected ${reply.refused === undefined ? '' : 'bad'}`} key={index}>
          → {describeReply(reply)}
        </p>
      ))}
    </li>
  )
}

function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
