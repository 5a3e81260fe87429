import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface ModalProps {
  readonly title: string
  readonly class?: string
  readonly onClosed: () => void
  readonly children: ComponentChildren
}

/** A dialog over the page, open while it is rendered. Afterwards the focus returns to its previous element. */
export function Modal({ title, class: kind = '', onClosed, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    const close = () => element?.close()
    element?.showModal()
    // The button Back must not leave the dialog over another view.
    addEventListener('hashchange', close)
    return () => {
      removeEventListener('hashchange', close)
      close()
    }
  }, [])
  return (
    <dialog
      class={`modal ${kind}`}
      ref={dialog}
      aria-label={title}
      onClose={onClosed}
      onClick={({ target, currentTarget }) => {
        // The content fills the dialog, so a click on the dialog itself is a click on the backdrop.
        if (target === currentTarget) currentTarget.close()
      }}
    >
      <div class="modal-body stack">{children}</div>
    </dialog>
  )
}

/** Closes the dialog around an element at once, so that the focus returns before anything else takes it. */
export function closeModal(inside: Element): void {
  inside.closest('dialog')?.close()
}

interface Confirmation {
  readonly title: string
  readonly text: ComponentChildren
  readonly action: string
  readonly tone?: 'danger' | 'primary'
  readonly run: () => void
}

const confirmation = signal<Confirmation | undefined>(undefined)

/** Asks before an action that cannot be undone, or that reaches somebody. */
export function confirm(request: Confirmation): void {
  confirmation.value = request
}

export function ConfirmDialog() {
  const request = confirmation.value
  if (request === undefined) return null
  return (
    <Modal title={request.title} class="confirm" onClosed={() => (confirmation.value = undefined)}>
      <h2>{request.title}</h2>
      {typeof request.text === 'string' ? <p>{request.text}</p> : request.text}
      <footer class="line">
        <button type="button" onClick={({ currentTarget }) => closeModal(currentTarget)}>
          Cancel
        </button>
        <button
          type="button"
          class={request.tone ?? 'danger'}
          onClick={({ currentTarget }) => {
            closeModal(currentTarget)
            request.run()
          }}
        >
          {request.action}
        </button>
      </footer>
    </Modal>
  )
}
