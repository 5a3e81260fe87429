import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { LONGEST_FILE_BYTES } from '../../../emulator/http/messages.ts'
import { runAction } from '../../ui/components/messages.ts'
import { RouteForm } from '../form.tsx'
import { Bubble } from './bubble.tsx'
import { sendAsCustomer, unusualSettings, type WindowState } from '../state/customer-list.ts'
import { selectedCustomer, selectedWindow } from '../state/selected-customer.ts'
import { isLoaded } from '../state/follow.ts'
import { codes, thread } from '../state/thread.ts'
import { customer, openSection } from '../state/view.ts'
import { selectedMessage } from '../timeline/state.ts'
import { change } from '../wire/control.ts'
import type { Media, ThreadItem } from '../wire/wire-types.ts'
import { formatDay, formatSpan } from '../../ui/text/time.ts'

export function Phone() {
  return (
    <section class="pane phone" aria-label="Phone">
      <header class="bar line">
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
  const text = useSignal('')
  const send = () => {
    const written = text.value
    if (written.trim() === '') return
    text.value = ''
    // The text of a refused message returns to the field, unless the user has begun another one.
    sendAsCustomer(customer, { text: written }, () => {
      if (text.peek() === '') text.value = written
    })
    field.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <div class="composer stack">
      <form
        class="line"
        aria-label="Write as the customer"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <FileButton customer={customer} />
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
      </form>
      {OTHERS.map(({ title, member, hint }) => (
        <RouteForm
          key={member}
          title={title}
          route="POST customers/:digits/messages"
          path={`customers/${customer}/messages`}
          only={[member]}
          hint={hint}
        />
      ))}
    </div>
  )
}

function FileButton({ customer }: { customer: string }) {
  return (
    <label class="file button" title="Send a file of up to 5 MB">
      +<span class="visually-hidden">File</span>
      <input
        type="file"
        class="visually-hidden"
        onChange={({ currentTarget }) => {
          sendFile(customer, currentTarget.files?.[0])
          currentTarget.value = ''
        }}
      />
    </label>
  )
}

const OTHERS = [
  { title: 'Send media', member: 'media', hint: 'Audio with a duration is a voice note.' },
  { title: 'Send a location', member: 'location', hint: 'A location reaches routes like a picture.' },
  {
    title: 'React, edit, delete',
    member: 'signal',
    hint: 'Nobody writes these, nor stickers, calls and notes of the system: only received(kind) gets them.',
  },
] as const

/** Its type ensures that it equals the emulator's constant. */
const FILE_LIMIT: typeof LONGEST_FILE_BYTES = 5_242_880

function sendFile(customer: string, file: File | undefined): void {
  if (file === undefined) return
  runAction(async () => {
    if (file.size > FILE_LIMIT) throw new Error(`${file.name} has more than 5 MB.`)
    const media = await change<Media>('POST', 'media', { name: file.name, base64: await base64Of(file) })
    await change('POST', `customers/${customer}/messages`, { media })
  })
}

/** This many bytes are converted at once, because a function accepts a limited number of arguments. */
const PART_BYTES = 8_192

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += PART_BYTES)
    text += String.fromCodePoint(...bytes.subarray(at, at + PART_BYTES))
  return btoa(text)
}

/** Oldest message first. It stays scrolled to its end, unless the reader has scrolled back. */
function Thread({ customer }: { customer: string }) {
  const list = useRef<HTMLDivElement>(null)
  const messages = thread.value
  const codeOf = new Map(codes.value.map((code) => [code.messageId, code]))

  // Undefined until the message is loaded. When it is loaded, the effect runs again.
  const selected = messages.find(({ id }) => id === selectedMessage.value)?.id
  useLayoutEffect(() => {
    const bubble = list.current?.querySelector('.selected')
    if (!list.current || !bubble) return
    const [outer, inner] = [list.current.getBoundingClientRect(), bubble.getBoundingClientRect()]
    // Not `scrollIntoView`: in a narrow window it would scroll the page away from the row that the reader selected.
    list.current.scrollTop += inner.top < outer.top ? inner.top - outer.top : Math.max(0, inner.bottom - outer.bottom)
  }, [selected])

  return (
    <div class="scroll from-end" role="log" aria-label="Conversation" tabIndex={0} ref={list}>
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
