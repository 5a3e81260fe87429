import { describeExpected } from '../../testing/play/compare.ts'
import { describeStep, type PlayExpected, type PlayStep } from '../../testing/play/file.ts'
import { playAsTest } from '../../testing/play/generate-test.ts'
import { copyText, saveFile } from '../../ui/components/copy.tsx'
import { templates as listed } from '../state/service.ts'
import { playFileName, templatesFor, toPlayFile } from './play-file.ts'
import type { Recorded, RecordedStep } from './record.ts'
import { isRecording, recordingName, removedSteps, removeStep, restoreSteps } from './recording.ts'

/** Lists the recorded steps, each of which can be taken out, and offers the export. */
export function Preview({ of: { steps, notes, templates } }: { of: Recorded }) {
  const kept = steps.filter(({ id }) => !removedSteps.value.has(id))
  return (
    <>
      {isRecording.value && steps.length === 0 && (
        <p class="hint">Recording. Write as the customer, tap a button, or move the clock.</p>
      )}
      {!isRecording.value && steps.length === 0 && (
        <p class="hint">Nothing happened that a test could do again. Record once more, and write as the customer.</p>
      )}
      <ol class="steps stack" aria-label="Recorded steps">
        {kept.map((one) => (
          <StepRow key={one.id} of={one} />
        ))}
      </ol>
      {kept.length < steps.length && (
        <button type="button" class="quiet" onClick={restoreSteps}>
          Bring back {steps.length - kept.length} taken out
        </button>
      )}
      {notes.map((note) => (
        <p class="hint" key={note}>
          {note}
        </p>
      ))}
      {!isRecording.value && kept.length > 0 && (
        <ExportButtons steps={kept.map(({ step }) => step)} templates={templates} />
      )}
    </>
  )
}

function StepRow({ of: { id, step } }: { of: RecordedStep }) {
  const expected = step.expect ?? []
  const text = describeStep(step)
  return (
    <li>
      <p class="act">
        <span>{text}</span>
        <button type="button" class="quiet" onClick={() => removeStep(id)} title="Take this step out">
          <span aria-hidden="true">✕</span>
          <span class="visually-hidden">Take out: {text}</span>
        </button>
      </p>
      {expected.length === 0 && <p class="expected muted">nothing comes</p>}
      {expected.map((one, index) => (
        <p class={`expected ${one.refused === undefined ? '' : 'bad'}`} key={index}>
          → {expectationText(step, one)}
        </p>
      ))}
    </li>
  )
}

/** Names the recipient only if it is not the customer who acted. */
function expectationText(step: PlayStep, { to, ...expected }: PlayExpected): string {
  const isUsual = to === undefined || ('customer' in step && step.customer === to)
  return describeExpected(isUsual ? expected : { ...expected, to })
}

interface ExportButtonsProps {
  readonly steps: readonly PlayStep[]
  readonly templates: readonly string[]
}

function ExportButtons({ steps, templates }: ExportButtonsProps) {
  const file = () => toPlayFile(recordingName.value, steps, templatesFor(templates, listed.value))
  const text = () => `${JSON.stringify(file(), null, 2)}\n`
  return (
    <div class="stack">
      <label>
        What it shows
        <input
          value={recordingName}
          autocomplete="off"
          onInput={({ currentTarget }) => (recordingName.value = currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => copyText(playAsTest(file()), 'The test')}>
          Copy as test
        </button>
        <button type="button" onClick={() => copyText(text(), 'The file')}>
          Copy as file
        </button>
        <button type="button" onClick={() => saveFile(playFileName(recordingName.value), text())}>
          Download
        </button>
      </div>
      <p class="hint">
        <code>npx switchhook play {playFileName(recordingName.value)}</code> plays the file against your running app.
      </p>
    </div>
  )
}
