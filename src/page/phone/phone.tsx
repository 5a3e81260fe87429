import { customer } from '../state/view.ts'
import { Composer } from './composer.tsx'
import { HandsetChip } from './handset-chip.tsx'
import { Thread } from './thread.tsx'
import { WindowChip } from './window-chip.tsx'

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
