import { playAsTest } from '../../testing/play/as-test.ts'
import type { PlayStep } from '../../testing/play/file.ts'
import { copyText } from '../parts/copy.ts'
import { saveFile } from '../parts/save-file.ts'
import { templates as listed } from '../state/world.ts'
import { fileName, fileOf, templatesFor } from './file.ts'
import { name } from './recording.ts'

interface TakeAwayProps {
  readonly steps: readonly PlayStep[]
  readonly templates: readonly string[]
}

/** The recording as something to keep. */
export function TakeAway({ steps, templates }: TakeAwayProps) {
  const file = () => fileOf(name.value, steps, templatesFor(templates, listed.value))
  const text = () => `${JSON.stringify(file(), null, 2)}\n`
  return (
    <div class="fields">
      <label>
        What it shows
        <input value={name} autocomplete="off" onInput={({ currentTarget }) => (name.value = currentTarget.value)} />
      </label>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => copyText(playAsTest(file()), 'The test')}>
          Copy as test
        </button>
        <button type="button" onClick={() => copyText(text(), 'The file')}>
          Copy as file
        </button>
        <button type="button" onClick={() => saveFile(fileName(name.value), text())}>
          Download
        </button>
      </div>
      <p class="hint">
        <code>npx switchhook play {fileName(name.value)}</code> plays the file against your running app.
      </p>
    </div>
  )
}
