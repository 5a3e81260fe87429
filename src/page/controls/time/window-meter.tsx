import { clockText, spanText } from '../../parts/time.ts'
import type { WindowState } from '../../phone/window.ts'
import { now } from '../../state/clock.ts'
import { customer } from '../../state/view.ts'
import { openWindow } from './move.ts'

const DAY_MS = 24 * 3_600_000

/** The countdown of the open customer's window. */
export function WindowMeter() {
  const state = openWindow()
  return (
    <div class={`window-meter ${state.is}`}>
      <div class="bar" aria-hidden="true">
        <i style={{ width: `${Math.min(100, (100 * state.leftMs) / DAY_MS)}%` }} />
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
