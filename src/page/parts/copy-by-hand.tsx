import { useLayoutEffect, useRef } from 'preact/hooks'
import { uncopied } from './copy.ts'
import { closeModal, Modal } from './modal.tsx'

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
