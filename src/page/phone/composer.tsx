import { type Signal, signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { Icon } from '../../ui/components/icon.tsx'
import { type CustomerMessage, sendAsCustomer } from '../state/customers.ts'
import { chosenNumber } from '../state/selected-customer.ts'
import { account } from '../state/service.ts'
import { numberChoice } from '../state/view.ts'
import { MediaForm } from './media-form.tsx'

/** The field in which the customer writes. Enter sends; Shift and Enter start a new line. */
export function Composer({ customer }: { customer: string }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const attach = useRef<HTMLButtonElement>(null)
  const text = draftOf(customer)
  const isMediaOpen = useSignal(false)
  const write = (message: CustomerMessage, onFailure?: () => void) => {
    const number = chosenNumber.value === '' ? {} : { number: chosenNumber.value }
    sendAsCustomer(customer, { ...message, ...number }, onFailure)
  }
  const send = () => {
    const written = text.value
    if (written.trim() === '') return
    text.value = ''
    // A refused message comes back into the field, unless the user has begun another.
    write({ text: written }, () => {
      if (text.peek() === '') text.value = written
    })
    field.current?.focus()
  }
  const closeMedia = () => {
    isMediaOpen.value = false
    attach.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      class="composer"
      aria-label="Write as the customer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {isMediaOpen.value && <MediaForm send={write} close={closeMedia} />}
      <NumberSelect />
      <div class="line">
        <button
          ref={attach}
          type="button"
          aria-expanded={isMediaOpen.value}
          title="Send media or a voice note"
          onClick={() => (isMediaOpen.value = !isMediaOpen.value)}
        >
          <Icon name="plus" />
          <span class="visually-hidden">Media</span>
        </button>
        <textarea
          ref={field}
          id="message"
          aria-label="Message"
          dir="auto"
          placeholder="Write as the customer"
          rows={Math.min(6, text.value.split('\n').length)}
          value={text}
          onInput={(event) => (text.value = event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="submit" class="primary" disabled={text.value.trim() === ''}>
          Send
        </button>
      </div>
    </form>
  )
}

function NumberSelect() {
  const numbers = account.value?.numbers ?? []
  if (numbers.length < 2) return null
  return (
    <label class="to-number">
      To number
      <select value={chosenNumber} onChange={(event) => (numberChoice.value = event.currentTarget.value)}>
        {numbers.map(({ id, display }, index) => (
          <option key={id} value={index === 0 ? '' : id}>
            {display} ({id})
          </option>
        ))}
      </select>
    </label>
  )
}

const drafts = new Map<string, Signal<string>>()

/** The unsent text of one customer, kept while the user looks at another one. */
function draftOf(customer: string): Signal<string> {
  const known = drafts.get(customer)
  if (known) return known
  const draft = signal('')
  drafts.set(customer, draft)
  return draft
}
