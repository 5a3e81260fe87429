import { Preview } from './preview.tsx'
import { forgetRecording, isRecording, recorded, startRecording, stopRecording } from './recording.ts'

/** Counts the steps beside the section's title. */
export function RecorderNote() {
  const steps = recorded.value?.steps.length ?? 0
  if (isRecording.value) return <b class="bad">{`● ${stepCount(steps)}`}</b>
  return recorded.value ? <>{stepCount(steps)}</> : null
}

function stepCount(count: number): string {
  return count === 1 ? '1 step' : `${count} steps`
}

/** Records a conversation and makes a test of it. */
export function RecorderSection() {
  const recording = recorded.value
  if (recording === undefined)
    return (
      <>
        <p class="hint">
          Record, play the customer, stop: then you have the conversation as a test that expects what your app said, or
          as a file that can be played again.
        </p>
        <button type="button" class="primary wide" onClick={startRecording}>
          Record
        </button>
      </>
    )
  return (
    <>
      <Preview of={recording} />
      {isRecording.value ? (
        <button type="button" class="primary wide" onClick={stopRecording}>
          Stop
        </button>
      ) : (
        <div class="buttons">
          <button type="button" onClick={startRecording}>
            Record another
          </button>
          <button type="button" onClick={forgetRecording}>
            Throw away
          </button>
        </div>
      )}
    </>
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
