import { withKey } from '../../keys/names.ts'
import { clockText, offsetText } from '../../parts/time.ts'
import { now, offsetMs } from '../../state/clock.ts'
import { openWindow } from '../../state/open-customer.ts'
import { ClockField } from './clock-field.tsx'
import { moveClock, resetClock, toBeforeClose } from './move.ts'
import { WindowMeter } from './window-meter.tsx'

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
