import { Preview } from './preview.tsx'
import { forgetRecording, isRecording, recorded, startRecording, stopRecording } from './recording.ts'

export function RecorderNote() {
  const steps = recorded.value?.steps.length ?? 0
  if (isRecording.value) return <b class="bad">{`● ${stepWords(steps)}`}</b>
  return recorded.value ? <>{stepWords(steps)}</> : null
}

function stepWords(count: number): string {
  return count === 1 ? '1 step' : `${count} steps`
}

/** Makes a test of a conversation. */
export function Recorder() {
  const it = recorded.value
  if (it === undefined)
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
      <Preview of={it} />
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
