import { withKey } from '../keys/names.ts'
import { isRecording, startRecording, stopRecording } from './recording.ts'

/** Records the conversation, to be had as a test. */
export function RecordButton() {
  const isOn = isRecording.value
  return (
    <button
      type="button"
      class={`record ${isOn ? 'on' : ''}`}
      aria-pressed={isOn}
      onClick={isOn ? stopRecording : startRecording}
      title={withKey(isOn ? 'End the recording' : 'Record the conversation as a test', 'Shift R')}
    >
      <i aria-hidden="true" />
      {isOn ? 'Stop' : 'Record'}
    </button>
  )
}
