import { unusualSettings, type WindowState } from '../state/customers.ts'
import { selectedCustomer, selectedWindow } from '../state/selected-customer.ts'
import { customer, openSection } from '../state/view.ts'
import { formatSpan } from '../../ui/text/time.ts'
import { Composer } from './composer.tsx'
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
      <Thread key={customer.value} customer={customer.value} />
      <Composer key={`composer ${customer.value}`} customer={customer.value} />
    </section>
  )
}

/** Names what is unusual about the handset. */
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

const TONES: Readonly<Record<WindowState['phase'], string>> = {
  open: 'good',
  closing: 'warn',
  last: 'bad',
  closed: '',
  never: '',
}

/** Shows how long free-form messages can still be sent to this customer. */
function WindowChip() {
  const { phase, leftMs } = selectedWindow.value
  const text =
    phase === 'never' ? 'No window yet' : phase === 'closed' ? 'Window closed' : `Window ${formatSpan(leftMs)}`
  return (
    <button
      type="button"
      class={`chip ${TONES[phase]}`}
      title="24 hours after the customer's last message only templates reach the phone"
      onClick={() => openSection('time')}
    >
      {text}
    </button>
  )
}
