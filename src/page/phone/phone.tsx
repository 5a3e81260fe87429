import { type Signal, signal, useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { WINDOW_MS } from '../../contract/endpoints.ts'
import type { InboundMediaKind } from '../../contract/message-kinds.ts'
import { Icon } from '../parts/icon.tsx'
import { formatSpan } from '../../ui/text/time.ts'
import { type CustomerMessage, sendAsCustomer, unusualSettings, type WindowState } from '../state/customers.ts'
import { chosenNumber, selectedCustomer, selectedWindow } from '../state/selected-customer.ts'
import { account } from '../state/service.ts'
import { customer, numberChoice, openSection } from '../state/view.ts'
import { Thread } from './thread.tsx'

/** The phone pane: the selected customer's conversation, and the field to write in it. */
export function Phone() {
  return (
    <section class="pane phone" aria-label="Phone">
      <header class="pane-head">
        <h2>
          <span class="muted">Phone of</span> {customer}
        </h2>
        <span class="fill" />
        <HandsetChip />
        <WindowChip />
      </header>
      <WindowBar />
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

/** Shows how long free-form messages can still be sent to this customer. */
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

/** The window as a line that grows shorter, in the colour of its end. The chip says the same in words. */
function WindowBar() {
  const { phase, tone, leftMs } = selectedWindow.value
  return (
    <div class={`window-bar ${phase} ${tone}`} aria-hidden="true">
      <i style={{ width: `${Math.min(100, (100 * leftMs) / WINDOW_MS)}%` }} />
    </div>
  )
}

/** The field in which the customer writes. Enter sends; Shift and Enter start a new line. */
function Composer({ customer }: { customer: string }) {
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

type Kind = InboundMediaKind | 'voice note'

/** Example media: samples that the emulator serves, and a video of which there is none. */
const EXAMPLES: Readonly<Record<Kind, { url: string; more: Omit<NonNullable<CustomerMessage['media']>, 'url'> }>> = {
  image: { url: sample('picture.png'), more: { kind: 'image', mime: 'image/png' } },
  'voice note': {
    url: sample('voice.wav'),
    more: { kind: 'audio', mime: 'audio/wav', durationMs: 500 },
  },
  video: { url: 'https://media.example.com/film.mp4', more: { kind: 'video', mime: 'video/mp4' } },
  document: {
    url: sample('document.pdf'),
    more: { kind: 'document', mime: 'application/pdf', filename: 'document.pdf' },
  },
  audio: { url: sample('voice.wav'), more: { kind: 'audio', mime: 'audio/wav' } },
}

/** The address of a sample: the page comes from where they are. */
function sample(name: string): string {
  return `${location.origin}/media/sample/${name}`
}

const KINDS = Object.keys(EXAMPLES) as Kind[]

function MediaForm({ send, close }: { send: (message: CustomerMessage) => void; close: () => void }) {
  const kind = useSignal<Kind>('image')
  const url = useSignal(EXAMPLES.image.url)
  const caption = useSignal('')
  const choose = (next: Kind) => {
    if (url.value === EXAMPLES[kind.value].url) url.value = EXAMPLES[next].url
    kind.value = next
  }
  const sendMedia = () => {
    send({ media: { ...EXAMPLES[kind.value].more, url: url.value, ...(caption.value && { caption: caption.value }) } })
    close()
  }
  const first = useRef<HTMLSelectElement>(null)
  useLayoutEffect(() => first.current?.focus(), [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    close()
  }
  return (
    <fieldset class="media-form" onKeyDown={onKeyDown}>
      <legend>Send media as the customer</legend>
      <label>
        Kind
        <select ref={first} value={kind} onChange={(event) => choose(event.currentTarget.value as Kind)}>
          {KINDS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        Caption
        <input value={caption} onInput={(event) => (caption.value = event.currentTarget.value)} />
      </label>
      <label class="wide">
        Address
        <input type="url" value={url} onInput={(event) => (url.value = event.currentTarget.value)} />
      </label>
      <div class="wide line">
        <button type="button" class="primary" onClick={sendMedia}>
          Send {kind}
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </fieldset>
  )
}
