import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { closeModal, Modal } from './dialog.tsx'
import { toast } from './messages.ts'

const failedCopy = signal<{ readonly what: string; readonly text: string } | undefined>(undefined)

/** Copies a text and confirms that. If the browser refuses, shows the text to copy manually. */
export function copyText(text: string, what: string): void {
  writeClipboard(text).then(
    () => (toast.value = `${what} was copied.`),
    () => (failedCopy.value = { what, text }),
  )
}

/** Async, so that a missing `navigator.clipboard` (on a page without https) rejects and does not throw. */
async function writeClipboard(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
}

export function CopyByHand() {
  const failed = failedCopy.value
  return failed && <CopyDialog key={failed.text} {...failed} />
}

function CopyDialog({ what, text }: NonNullable<typeof failedCopy.value>) {
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => field.current?.select(), [])
  return (
    <Modal title="Copy manually" onClosed={() => (failedCopy.value = undefined)}>
      <h2>Copy manually</h2>
      <p>The browser does not let this page use the clipboard. The text is selected: press Ctrl or Cmd and C.</p>
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
