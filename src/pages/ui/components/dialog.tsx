import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface Confirmation {
  readonly title: string
  readonly text: ComponentChildren
  readonly action: string
  readonly tone?: 'danger' | 'primary'
  readonly run: () => void
}

const confirmation = signal<Confirmation | undefined>(undefined)

/** Call this before an action that cannot be undone, or that reaches somebody. */
export function confirm(request: Confirmation): void {
  confirmation.value = request
}

export function ConfirmDialog() {
  if (!confirmation.value) return null
  const { title, text, action, tone = 'danger', run } = confirmation.value
  return (
    <Dialog title={title} onClose={() => (confirmation.value = undefined)}>
      {(close) => (
        <>
          {typeof text === 'string' ? <p>{text}</p> : text}
          <footer class="line">
            <button type="button" onClick={close}>
              Cancel
            </button>
            <button
              type="button"
              class={tone}
              onClick={() => {
                close()
                run()
              }}
            >
              {action}
            </button>
          </footer>
        </>
      )}
    </Dialog>
  )
}

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: (close: () => void) => ComponentChildren
}

/** The dialog is open while it is rendered. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  // Close at once: the browser returns the focus to where it was. A caller can move the focus after that.
  const close = () => dialog.current?.close()
  useLayoutEffect(() => {
    dialog.current?.showModal()
    // With Back another view appears, and the dialog must not stay over it.
    addEventListener('hashchange', close)
    return () => removeEventListener('hashchange', close)
  }, [])
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      <div class="stack">
        <h2>{title}</h2>
        {children(close)}
      </div>
    </dialog>
  )
}
