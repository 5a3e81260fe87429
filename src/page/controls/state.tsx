import { useRef } from 'preact/hooks'
import { saveFile } from '../../ui/components/copy.tsx'
import { confirm } from '../../ui/components/dialog.tsx'
import { runAction, toast } from '../../ui/components/messages.ts'
import { parseJson } from '../../ui/text/json.ts'
import { change, read } from '../wire/control.ts'

/** Saves, restores or resets the whole state of the emulated service. */
export function StateSection() {
  const chooser = useRef<HTMLInputElement>(null)
  const onChosen = (event: { readonly currentTarget: HTMLInputElement }) => {
    const [file] = event.currentTarget.files ?? []
    // An empty field reports a change even if the same file is chosen again.
    const done = () => chooser.current && (chooser.current.value = '')
    if (file) runAction(() => restore(file).finally(done))
  }
  return (
    <>
      <p class="hint">A snapshot holds conversations, tokens and signing secrets. Keep it as you would keep those.</p>
      <div class="buttons">
        <button type="button" onClick={() => runAction(download)}>
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
          onChange={onChosen}
        />
      </div>
      <button type="button" class="danger wide" onClick={confirmReset}>
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
  await change('PUT', 'state', parseSnapshot(await file.text(), file.name))
  toast.value = `${file.name} was restored.`
}

function parseSnapshot(text: string, name: string): object {
  const snapshot = parseJson(text)
  if (snapshot !== undefined) return snapshot as object
  throw new Error(`${name} is no snapshot: it holds no JSON. Download one to see what it looks like.`)
}

function confirmReset(): void {
  confirm({
    title: 'Reset everything?',
    text: 'All conversations, templates, keys, faults and deliveries are thrown away; the clock goes back. Download a snapshot first to keep them.',
    action: 'Reset',
    run: () =>
      runAction(async () => {
        await change('DELETE', 'state')
        toast.value = 'The emulator begins anew.'
      }),
  })
}
