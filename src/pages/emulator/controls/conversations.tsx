import { customers } from '../state/service.ts'
import { parsePhoneNumber } from '../state/customer-list.ts'
import { customer, pane } from '../state/view.ts'
import { formatTime } from '../../ui/text/time.ts'
import type { Customer, ThreadItem } from '../wire/wire-types.ts'

export function Conversations() {
  const all = customers.value
  return (
    <section class="conversations stack" aria-label="Conversations">
      <CustomerField />
      {all.length === 0 ? (
        <p class="hint">Nobody has written yet. Write as the customer on the phone, and they appear here.</p>
      ) : (
        <ul aria-label="Conversations">
          {all.map((one) => (
            <ConversationRow key={one.customer} of={one} />
          ))}
        </ul>
      )}
    </section>
  )
}

function ConversationRow({ of }: { of: Customer }) {
  return (
    <li>
      <button
        type="button"
        class="conversation line-button"
        aria-current={customer.value === of.customer ? 'true' : undefined}
        onClick={() => {
          customer.value = of.customer
          pane.value = 'phone'
        }}
      >
        <span class="who">{of.customer}</span>
        <time class="muted small">{of.last && formatTime(of.last.at)}</time>
        <span class="last muted small" dir="auto">
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
    const field = (event.currentTarget as HTMLFormElement).querySelector('input')
    const digits = parsePhoneNumber(field?.value ?? '')
    field?.setCustomValidity(
      digits ? '' : 'Enter a number in full international format: 6 to 15 digits, without a leading zero.',
    )
    if (digits === undefined) return field?.reportValidity()
    customer.value = digits
    pane.value = 'phone'
    if (field) field.value = ''
  }
  return (
    <form class="customer-field stack" onSubmit={select} noValidate>
      <label for="customer">Customer</label>
      <div class="line">
        <input id="customer" inputMode="tel" autocomplete="off" placeholder="255712000102" />
        <button type="submit" title="Open this customer's phone">
          Open phone
        </button>
      </div>
    </form>
  )
}
