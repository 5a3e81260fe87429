import { now } from '../state/clock.ts'
import { numberId } from '../state/number.ts'
import { customers } from '../state/threads.ts'
import { customer, openPart } from '../state/view.ts'
import { spanText } from '../parts/time.ts'
import { windowOf, type WindowState } from './window.ts'

const TONES: Readonly<Record<WindowState['is'], string>> = {
  open: 'good',
  closing: 'warn',
  last: 'bad',
  closed: '',
  never: '',
}

/** How long free-form messages can still be sent to this customer. */
export function WindowChip() {
  const known = customers.value.find((one) => one.customer === customer.value)
  const { is, leftMs } = windowOf(known, numberId.value, now.value)
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
