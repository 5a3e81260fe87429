import { type Signal, signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { Icon } from '../components/icon.tsx'
import { writeAs, type Writing } from '../state/customers.ts'
import { chosenNumber } from '../state/open-customer.ts'
import { writtenTo } from '../state/view.ts'
import { account } from '../state/world.ts'
import { MediaForm } from './media-form.tsx'

/** Where the customer writes. Enter sends, Shift and Enter begin a line. */
export function Composer({ customer }: { customer: string }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const attach = useRef<HTMLButtonElement>(null)
  const text = draftOf(customer)
  const attaches = useSignal(false)
  const write = (writing: Writing, refused?: () => void) => {
    const number = chosenNumber.value === '' ? {} : { number: chosenNumber.value }
    writeAs(customer, { ...writing, ...number }, refused)
  }
  const send = () => {
    const said = text.value
    if (said.trim() === '') return
    text.value = ''
    // What was refused is not to be typed once more.
    write({ text: said }, () => {
      if (text.peek() === '') text.value = said
    })
    field.current?.focus()
  }
  const closeMedia = () => {
    attaches.value = false
    attach.current?.focus()
  }
  const keyed = (event: KeyboardEvent) => {
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
      {attaches.value && <MediaForm send={write} close={closeMedia} />}
      <NumberChoice />
      <div class="line">
        <button
          ref={attach}
          type="button"
          aria-expanded={attaches.value}
          title="Send media or a voice note"
          onClick={() => (attaches.value = !attaches.value)}
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
          onKeyDown={keyed}
        />
        <button type="submit" class="primary" disabled={text.value.trim() === ''}>
          Send
        </button>
      </div>
    </form>
  )
}

/** Where the business has several numbers: which one is written to. */
function NumberChoice() {
  const numbers = account.value?.numbers ?? []
  if (numbers.length < 2) return null
  return (
    <label class="to-number">
      To number
      <select value={chosenNumber} onChange={(event) => (writtenTo.value = event.currentTarget.value)}>
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

/** What is being written as a customer: it waits while somebody looks at another one. */
export function draftOf(customer: string): Signal<string> {
  const known = drafts.get(customer)
  if (known) return known
  const draft = signal('')
  drafts.set(customer, draft)
  return draft
}
