import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'
import { useStickToEnd } from '../parts/stick-to-end.ts'
import { Bubble } from './bubble.tsx'
import { attached, EXAMPLES, MediaForm } from './media.tsx'
import { type CustomerMessage, sendAsCustomer, unusualSettings, type WindowState } from '../state/customer-list.ts'
import { isLoaded } from '../state/follow.ts'
import { chosenNumber, selectedCustomer, selectedWindow } from '../state/selected-customer.ts'
import { account } from '../state/service.ts'
import { codes, thread } from '../state/thread.ts'
import { customer, numberChoice, openSection, selectedMessage } from '../state/view.ts'
import type { ThreadItem } from '../wire/wire-types.ts'
import { formatDay, formatSpan } from '../../ui/text/time.ts'

export function Phone() {
  return (
    <section class="pane phone" aria-label="Phone">
      <header class="pane-head line">
        <h2>
          <span class="muted">Phone of</span> {customer}
        </h2>
        <span class="fill" />
        <HandsetChip />
        <WindowChip />
      </header>
      <Thread key={customer.value} customer={customer.value} />
      <Composer key={`composer ${customer.value}`} customer={customer.value} />
    </section>
  )
}

function HandsetChip() {
  const handset = selectedCustomer.value?.handset
  const unusual = handset ? unusualSettings(handset) : []
  if (unusual.length === 0) return null
  return (
    <button type="button" class="chip warn" onClick={() => openSection('account')}>
      {unusual.join(', ')}
    </button>
  )
}

function WindowChip() {
  const { tone } = selectedWindow.value
  return (
    <button
      type="button"
      class={`chip ${tone}`}
      title="24 hours after the customer's last message only templates reach the phone"
      onClick={() => openSection('time')}
    >
      {windowText(selectedWindow.value)}
    </button>
  )
}

function windowText({ phase, tone, leftMs }: WindowState): string {
  if (phase === 'never') return 'No window yet'
  if (phase === 'closed') return 'Window closed'
  return `${tone === 'good' ? 'Window' : 'Closes in'} ${formatSpan(leftMs)}`
}

function Composer({ customer }: { customer: string }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const attach = useRef<HTMLButtonElement>(null)
  const text = useSignal('')
  const write = (message: CustomerMessage, onFailure?: () => void) => {
    const number = chosenNumber.value === '' ? {} : { number: chosenNumber.value }
    sendAsCustomer(customer, { ...message, ...number }, onFailure)
  }
  const send = () => {
    const written = text.value
    if (written.trim() === '') return
    text.value = ''
    // A refused message returns to the field, unless the user has begun another one.
    write({ text: written }, () => {
      if (text.peek() === '') text.value = written
    })
    field.current?.focus()
  }
  const closeMedia = () => {
    attached.value = undefined
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
      {attached.value && <MediaForm media={attached.value} send={write} close={closeMedia} />}
      <NumberSelect />
      <div class="line">
        <button
          ref={attach}
          type="button"
          aria-expanded={attached.value !== undefined}
          title="Send a file, media or a voice note"
          onClick={() => (attached.value = attached.value ? undefined : EXAMPLES.image)}
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

/** The conversation, oldest message first. It stays scrolled to its end unless the reader has scrolled back. */
function Thread({ customer }: { customer: string }) {
  const list = useRef<HTMLDivElement>(null)
  const messages = thread.value
  const codeOf = new Map(codes.value.map((code) => [code.messageId, code]))

  const scroll = useStickToEnd(list)

  // The effect runs again when the message has been loaded: a new phone is read first.
  const isSelectionLoaded = messages.some(({ id }) => id === selectedMessage.value)
  useLayoutEffect(() => {
    const bubble = list.current?.querySelector(`[data-message="${CSS.escape(selectedMessage.value)}"]`)
    if (bubble) scroll.goTo(bubble)
  }, [selectedMessage.value, isSelectionLoaded])

  return (
    <div class="scroll" role="log" aria-label="Conversation" tabIndex={0} ref={list}>
      <div class="thread">
        {messages.length === 0 && isLoaded.value && <EmptyThread />}
        {messages.map((item, index) => [
          startsDay(messages, index) && (
            <p class="day muted small" key={`day ${item.id}`}>
              {formatDay(item.at)}
            </p>
          ),
          <Bubble key={item.id} customer={customer} item={item} code={codeOf.get(item.id)} />,
        ])}
      </div>
    </div>
  )
}

function EmptyThread() {
  return (
    <p class="empty">
      No messages yet. Write <q>hi</q> below: you are the customer, and your app receives it as a signed delivery.
    </p>
  )
}

function startsDay(items: readonly ThreadItem[], index: number): boolean {
  const [before, here] = [items[index - 1], items[index]]
  return here !== undefined && (before === undefined || formatDay(before.at) !== formatDay(here.at))
}
