import { useRef } from 'preact/hooks'
import { saveFile } from '../components/copy.tsx'
import { ask } from '../components/dialog.tsx'
import { attempt, said } from '../components/messages.ts'
import { change, read } from '../wire/control.ts'

/** All that the emulated service knows: kept, brought back, thrown away. */
export function StatePart() {
  const chooser = useRef<HTMLInputElement>(null)
  const chosen = (event: { readonly currentTarget: HTMLInputElement }) => {
    const [file] = event.currentTarget.files ?? []
    // So that the same file can be chosen again.
    const done = () => chooser.current && (chooser.current.value = '')
    if (file) attempt(() => restore(file).finally(done))
  }
  return (
    <>
      <p class="hint">A snapshot holds conversations, tokens and signing secrets. Keep it as you would keep those.</p>
      <div class="buttons">
        <button type="button" onClick={() => attempt(download)}>
          Download a snapshot
        </button>
        <button type="button" onClick={() => chooser.current?.click()}>
          Restore one
        </button>
        <input
          ref={chooser}
          class="visually-hidden"
          type="file"
          accept="application/json,.json"
          aria-label="Snapshot to restore"
          tabIndex={-1}
          onChange={chosen}
        />
      </div>
      <button type="button" class="danger wide" onClick={askToReset}>
        Reset everything
      </button>
    </>
  )
}

async function download(): Promise<void> {
  const snapshot = await read<object>('state')
  const day = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
  saveFile(`emulator-${day}.json`, JSON.stringify(snapshot, null, 2))
}

async function restore(file: File): Promise<void> {
  await change('PUT', 'state', parsed(await file.text(), file.name))
  said.value = `${file.name} was restored.`
}

function parsed(text: string, name: string): object {
  try {
    return JSON.parse(text) as object
  } catch {
    throw new Error(`${name} is no snapshot: it holds no JSON. Download one to see what it looks like.`)
  }
}

function askToReset(): void {
  ask({
    title: 'Reset everything?',
    text: 'All conversations, templates, keys, faults and deliveries are thrown away; the clock goes back. Download a snapshot first to keep them.',
    does: 'Reset',
    run: () =>
      attempt(async () => {
        await change('DELETE', 'state')
        said.value = 'The emulator begins anew.'
      }),
  })
}
