import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface ModalProps {
  readonly title: string
  readonly class?: string
  /** It was closed, by whichever way; whoever drew it takes it away. */
  readonly closed: () => void
  readonly children: ComponentChildren
}

/** A dialog over the page, open as long as it is drawn; the focus goes back to where it was. */
export function Modal({ title, class: kind = '', closed, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const it = dialog.current
    it?.showModal()
    return () => it?.close()
  }, [])
  return (
    <dialog
      class={`modal ${kind}`}
      ref={dialog}
      aria-label={title}
      onClose={closed}
      onClick={({ target, currentTarget }) => {
        // Nothing of the dialog's own lies beside its content: it was the ground behind it.
        if (target === currentTarget) currentTarget.close()
      }}
    >
      <div class="modal-body">{children}</div>
    </dialog>
  )
}

/** Closes the dialog around an element at once, so that the focus is back before anything else takes it. */
export function closeModal(inside: Element): void {
  inside.closest('dialog')?.close()
}

interface Question {
  readonly title: string
  readonly text: string
  /** What the button says that does it. */
  readonly does: string
  readonly run: () => void
}

const question = signal<Question | undefined>(undefined)

/** Asks before something that cannot be undone. */
export function ask(it: Question): void {
  question.value = it
}

/** The question that waits for its answer. */
export function Ask() {
  const it = question.value
  if (it === undefined) return null
  return (
    <Modal title={it.title} class="ask" closed={() => (question.value = undefined)}>
      <h2>{it.title}</h2>
      <p>{it.text}</p>
      <footer>
        <button type="button" onClick={({ currentTarget }) => closeModal(currentTarget)}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          onClick={({ currentTarget }) => {
            closeModal(currentTarget)
            it.run()
          }}
        >
          {it.does}
        </button>
      </footer>
    </Modal>
  )
}
