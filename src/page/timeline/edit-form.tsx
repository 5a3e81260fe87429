import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { indentJson } from '../../ui/text/json.ts'
import type { Delivery } from '../wire/types.ts'
import { closeDetails, firstBody, sendEdited } from './details.ts'
import { focusList } from './state.ts'

/** The form to change a delivery and send it as a new event. It explains what is wrong with the payload. */
export function EditForm({ delivery }: { delivery: Delivery }) {
  const event = useSignal(delivery.event)
  const payload = useSignal(indentJson(firstBody(delivery)))
  const problem = useSignal('')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(0, 0)
    field.current?.scrollTo(0, 0)
  }, [])

  const send = async () => {
    const read = parsePayload(payload.peek())
    problem.value = read.problem ?? ''
    if (read.problem !== undefined) return field.current?.focus()
    try {
      await sendEdited(delivery, event.peek().trim(), read.value)
      focusList()
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error)
    }
  }
  return (
    <form
      class="edit-form"
      aria-label="Edit and send"
      onSubmit={(submitted) => {
        submitted.preventDefault()
        void send()
      }}
      onKeyDown={(pressed) => {
        if (pressed.key === 'Escape') closeDetails()
        if (pressed.key === 'Enter' && (pressed.ctrlKey || pressed.metaKey)) void send()
      }}
    >
      <label>
        Event
        <input
          value={event}
          required
          spellcheck={false}
          onInput={(typed) => (event.value = typed.currentTarget.value)}
        />
      </label>
      <label class="grow">
        Payload, as JSON
        <textarea
          ref={field}
          class="mono"
          spellcheck={false}
          value={payload}
          aria-invalid={problem.value !== ''}
          aria-describedby="edit-problem"
          onInput={(typed) => (payload.value = typed.currentTarget.value)}
        />
      </label>
      <p id="edit-problem" class="wrong" role="alert">
        {problem}
      </p>
      <p class="edit-buttons">
        <button type="submit" class="primary">
          Send as a new event
        </button>
        <button type="button" onClick={closeDetails}>
          Cancel
        </button>
        <span class="muted small">Nothing but this delivery goes out: no phone and no window changes.</span>
      </p>
    </form>
  )
}

function parsePayload(text: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { problem: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}
