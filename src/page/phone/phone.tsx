import { unusualSettings, type WindowState } from '../state/customers.ts'
import { WINDOW_MS } from '../../contract/limits.ts'
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
