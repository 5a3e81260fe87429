import { WINDOW_MS } from '../../../contract/limits.ts'
import { clockText, spanText } from '../../parts/time.ts'
import { now } from '../../state/clock.ts'
import { openWindow } from '../../state/open-customer.ts'
import { customer } from '../../state/view.ts'
import type { WindowState } from '../../state/window.ts'

/** The countdown of the open customer's window. */
export function WindowMeter() {
  const state = openWindow.value
  return (
    <div class={`window-meter ${state.is}`}>
      <div class="bar" aria-hidden="true">
        <i style={{ width: `${Math.min(100, (100 * state.leftMs) / WINDOW_MS)}%` }} />
      </div>
      <p>
        <b>{headline(state)}</b> <span class="muted">{detail(state, now.value)}</span>
      </p>
    </div>
  )
}

function headline({ is, leftMs }: WindowState): string {
  if (is === 'never') return 'No window yet'
  return is === 'closed' ? 'Window closed' : `Open for ${spanText(leftMs)}`
}

function detail({ is, leftMs }: WindowState, at: number): string {
  if (is === 'never') return `until ${customer.value} writes: templates alone go out.`
  if (is === 'closed') return 'until the customer writes: templates alone go out.'
  return `to ${customer.value}, until ${clockText(at + leftMs)}.`
}
