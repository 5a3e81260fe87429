import { PHONE_FORM } from '../../../service/endpoints.ts'
import { customers } from '../state/service.ts'
import { customer } from '../state/view.ts'
import { formatTime } from '../../ui/text/time.ts'
import type { Customer, ThreadItem } from '../wire/wire-types.ts'

export function Conversations() {
  const all = customers.value
  return (
    <>
      <CustomerField />
      {all.length === 0 ? (
        <p class="bar hint">Nobody has written yet. Write as the customer on the phone, and they appear here.</p>
      ) : (
        <ul class="conversations lines" aria-label="Conversations">
          {all.map((one) => (
            <ConversationRow key={one.customer} of={one} />
          ))}
        </ul>
      )}
    </>
  )
}

function ConversationRow({ of }: { of: Customer }) {
  return (
    <li>
      <button
        type="button"
        class="conversation line-button"
        aria-current={customer.value === of.customer ? 'true' : undefined}
        onClick={() => (customer.value = of.customer)}
      >
        <b>{of.customer}</b>
        <time class="muted small">{of.last && formatTime(of.last.at)}</time>
        <span class="last muted small cut" dir="auto">
          {of.last ? previewText(of.last) : 'No messages yet'}
        </span>
      </button>
    </li>
  )
}

function previewText({ text, kind, refused }: ThreadItem): string {
  const preview = text === null || text.trim() === '' ? (refused?.code ?? kind) : text
  return refused ? `✕ ${preview}` : preview
}

function CustomerField() {
  const select = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    customer.value = new FormData(form).get('customer') as string
    form.reset()
  }
  return (
    <form class="bar stack" onSubmit={select}>
      <label for="customer">Customer</label>
      <div class="line">
        <input
          id="customer"
          name="customer"
          inputMode="tel"
          autocomplete="off"
          placeholder="255712000102"
          required
          pattern={PHONE_FORM.source}
          title="A number in full international format: 6 to 15 digits, without a leading zero"
        />
        <button type="submit" title="Open this customer's phone">
          Open
        </button>
      </div>
    </form>
  )
}
