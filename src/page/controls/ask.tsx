import { signal } from '@preact/signals'
import { closeModal, Modal } from '../parts/modal.tsx'

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
