import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { WINDOW_MS } from '../../contract/limits.ts'
import { withKey } from '../keyboard/registry.ts'
import { moveClock, now, nowExactly, offsetMs, resetClock, setClock } from '../state/clock.ts'
import type { WindowState } from '../state/customers.ts'
import { openWindow, toBeforeClose } from '../state/open-customer.ts'
import { customer } from '../state/view.ts'
import { clockText, localTime, offsetText, spanText } from '../text/time.ts'

export function TimeNote() {
  if (offsetMs.value === 0) return <>now</>
  return <b class="warn">{offsetText(offsetMs.value)}</b>
}

/** The emulated clock, which payloads and the window go by. */
export function TimePart() {
  const { is } = openWindow.value
  return (
    <>
      <p class="big-time">
        <time>{clockText(now.value)}</time>
        <span class="muted">
          {offsetMs.value === 0 ? 'as on this machine' : `${offsetText(offsetMs.value)} from this machine`}
        </span>
      </p>
      <WindowMeter />
      <div class="buttons">
        <button type="button" onClick={() => moveClock('1h')} title={withKey('Move the clock by an hour', ']')}>
          +1 h
        </button>
        <button type="button" onClick={() => moveClock('24h')} title={withKey('Move the clock by 24 hours', '}')}>
          +24 h
        </button>
        <button type="button" disabled={offsetMs.value === 0} onClick={resetClock}>
          Reset
        </button>
      </div>
      <button
        type="button"
        class="wide"
        disabled={is === 'never' || is === 'closed'}
        onClick={toBeforeClose}
        title="One second before: then one second decides"
      >
        To 1 s before the window closes
      </button>
      <ClockField />
    </>
  )
}

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

/** Sets the clock to a date, before or after now. */
export function ClockField() {
  const given = useSignal('')
  // It begins at the clock's own time, and follows its jumps.
  useEffect(() => {
    given.value = localTime(new Date(nowExactly()))
  }, [offsetMs.value])
  const set = (event: SubmitEvent) => {
    event.preventDefault()
    const at = new Date(given.value)
    if (!Number.isNaN(at.getTime())) setClock(at)
  }
  return (
    <form class="line clock-field" onSubmit={set}>
      <label>
        Set it to
        <input
          type="datetime-local"
          required
          value={given}
          onInput={(event) => (given.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit">Set</button>
    </form>
  )
}
