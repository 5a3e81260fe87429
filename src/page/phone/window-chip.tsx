import { openWindow } from '../state/open-customer.ts'
import { openPart } from '../state/view.ts'
import type { WindowState } from '../state/window.ts'
import { spanText } from '../parts/time.ts'

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
