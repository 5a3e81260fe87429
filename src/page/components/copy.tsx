import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { closeModal, Modal } from './dialog.tsx'
import { said } from './messages.ts'

/** What the browser did not let onto the clipboard, to be copied by hand. */
export const uncopied = signal<{ readonly what: string; readonly text: string } | undefined>(undefined)

/** Puts a text on the clipboard and says so; where the browser refuses, it is shown to be copied by hand. */
export function copyText(text: string, what: string): void {
  write(text).then(
    () => (said.value = `${what} was copied.`),
    () => (uncopied.value = { what, text }),
  )
}

/** Where the page does not count as safe, the browser has no clipboard at all. */
async function write(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
}

/** A text that the browser did not let onto the clipboard, chosen so that the keys can copy it. */
export function CopyByHand() {
  const it = uncopied.value
  return it && <Dialog key={it.text} {...it} />
}

function Dialog({ what, text }: NonNullable<typeof uncopied.value>) {
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => field.current?.select(), [])
  return (
    <Modal title="Copy by hand" closed={() => (uncopied.value = undefined)}>
      <h2>Copy by hand</h2>
      <p>The browser does not let this page onto the clipboard. All of it is chosen: press Ctrl or Cmd and C.</p>
      <label>
        {what}
        <textarea ref={field} class="mono" rows={12} readOnly spellcheck={false} value={text} />
      </label>
      <footer>
        <button type="button" onClick={({ currentTarget }) => closeModal(currentTarget)}>
          Close
        </button>
      </footer>
    </Modal>
  )
}

interface ShownOnceProps {
  /** What it is: `The new signing secret`. */
  readonly what: string
  readonly value: string
  readonly next: string
  readonly put: () => void
}

/** A secret that is to be seen this once. */
export function ShownOnce({ what, value, next, put }: ShownOnceProps) {
  return (
    <div class="once" role="status">
      <p>
        <b>{what}</b> is shown this once.
      </p>
      <code>{value}</code>
      <p class="hint">{next}</p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => copyText(value, what)}>
          Copy
        </button>
        <button type="button" onClick={put}>
          Done
        </button>
      </div>
    </div>
  )
}

/** Lets the browser save a text as a file. */
export function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
