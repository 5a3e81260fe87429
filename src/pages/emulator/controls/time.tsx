import { WINDOW_MS } from '../../../service/endpoints.ts'
import { formatDateTime, formatOffset, formatSpan } from '../../ui/text/time.ts'
import { moveClock, now, offsetMs, resetClock } from '../state/service.ts'
import type { WindowState } from '../state/customer-list.ts'
import { moveToWindowEnd, selectedWindow } from '../state/selected-customer.ts'
import { customer } from '../state/view.ts'
import { change } from '../wire/control.ts'
import { RouteForm } from '../form.tsx'

export function TimeNote() {
  if (offsetMs.value === 0) return <>now</>
  return <b class="warn">{formatOffset(offsetMs.value)}</b>
}

export function TimeSection() {
  const { phase } = selectedWindow.value
  return (
    <>
      <p class="big-time">
        <time>{formatDateTime(now.value)}</time>
        <span class="muted">
          {offsetMs.value === 0 ? 'as on this machine' : `${formatOffset(offsetMs.value)} from this machine`}
        </span>
      </p>
      <WindowMeter />
      <div class="buttons">
        <button type="button" onClick={() => moveClock('1h')} title="Move the clock by an hour">
          +1 h
        </button>
        <button type="button" onClick={() => moveClock('24h')} title="Move the clock by 24 hours">
          +24 h
        </button>
        <button type="button" disabled={offsetMs.value === 0} onClick={resetClock}>
          Reset
        </button>
      </div>
      <button
        type="button"
        class="wide"
        disabled={phase === 'never' || phase === 'closed'}
        onClick={moveToWindowEnd}
        title="Stops one second before the window closes"
      >
        To 1 s before the window closes
      </button>
      <RouteForm
        title="Set the clock"
        route="POST clock"
        only={['advance', 'now']}
        hint="Advance by a span such as 90m, or set a time such as 2026-03-04T09:00:00Z."
        send={(value) => change('POST', 'clock', { ...value, tellApp: true })}
      />
    </>
  )
}

function WindowMeter() {
  const state = selectedWindow.value
  return (
    <div class={`window-meter ${state.tone}`}>
      <div class="bar" aria-hidden="true">
        <i style={{ width: `${Math.min(100, (100 * state.leftMs) / WINDOW_MS)}%` }} />
      </div>
      <p>
        <b>{headline(state)}</b> <span class="muted">{detail(state, now.value)}</span>
      </p>
    </div>
  )
}

function headline({ phase, leftMs }: WindowState): string {
  if (phase === 'never') return 'No window yet'
  return phase === 'closed' ? 'Window closed' : `Open for ${formatSpan(leftMs)}`
}

function detail({ phase, leftMs }: WindowState, at: number): string {
  if (phase === 'never') return `until ${customer.value} writes: only templates go out.`
  if (phase === 'closed') return 'until the customer writes: only templates go out.'
  return `to ${customer.value}, until ${formatDateTime(at + leftMs)}.`
}
