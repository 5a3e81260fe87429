import { type ComponentChildren, Fragment } from 'preact'
import { signal } from '@preact/signals'
import type { Act } from '../../admin/api.ts'
import { closeModal, Modal } from '../../ui/components/dialog.tsx'
import { act } from './run.ts'

/** What is about to be done, in words, and is done if the person says so. */
export interface Question {
  readonly title: string
  readonly text: ComponentChildren
  /** The label of the button that does it. */
  readonly action: string
  /** The customer may get a message by it, or lose one. */
  readonly isGrave?: boolean
  readonly act: Act
  readonly done: (count: number) => string
}

const question = signal<Question | undefined>(undefined)

/** Every act is asked for first: it reaches somebody's phone, or a queue that others wait for. */
export function askFirst(asked: Question): void {
  question.value = asked
}

export function OpenQuestion() {
  const asked = question.value
  if (asked === undefined) return null
  return (
    <Modal title={asked.title} class="confirm" onClosed={() => (question.value = undefined)}>
      <h2>{asked.title}</h2>
      <Fragment>{typeof asked.text === 'string' ? <p>{asked.text}</p> : asked.text}</Fragment>
      <footer>
        <button type="button" onClick={({ currentTarget }) => closeModal(currentTarget)}>
          Cancel
        </button>
        <button
          type="button"
          class={asked.isGrave ? 'danger' : 'primary'}
          onClick={({ currentTarget }) => {
            closeModal(currentTarget)
            void act(asked.act, asked.done)
          }}
        >
          {asked.action}
        </button>
      </footer>
    </Modal>
  )
}
