import { odditiesOf, type WindowState } from '../state/customers.ts'
import { openCustomer, openWindow } from '../state/open-customer.ts'
import { customer, openPart } from '../state/view.ts'
import { spanText } from '../text/time.ts'
import { Composer } from './composer.tsx'
import { Thread } from './thread.tsx'

/** The customer's phone: what it shows, and what the customer does with it. */
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
      <Thread key={customer.value} customer={customer.value} />
      <Composer key={`composer ${customer.value}`} customer={customer.value} />
    </section>
  )
}

/** Says of a handset what is unusual about it. */
export function HandsetChip() {
  const handset = openCustomer.value?.handset
  const odd = handset ? odditiesOf(handset) : []
  if (odd.length === 0) return null
  return (
    <button type="button" class="chip warn" onClick={() => openPart('account')}>
      {odd.join(', ')}
    </button>
  )
}

const TONES: Readonly<Record<WindowState['is'], string>> = {
  open: 'good',
  closing: 'warn',
  last: 'bad',
  closed: '',
  never: '',
}

/** How long free-form messages can still be sent to this customer. */
export function WindowChip() {
  const { is, leftMs } = openWindow.value
  const words = is === 'never' ? 'No window yet' : is === 'closed' ? 'Window closed' : `Window ${spanText(leftMs)}`
  return (
    <button
      type="button"
      class={`chip ${TONES[is]}`}
      title="24 hours after the customer's last message only templates reach the phone"
      onClick={() => openPart('time')}
    >
      {words}
    </button>
  )
}
