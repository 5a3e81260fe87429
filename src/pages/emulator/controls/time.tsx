import { moveClock, offsetMs, resetClock } from '../state/service.ts'
import { change } from '../wire/control.ts'
import { RouteForm } from '../form.tsx'

export function TimeSection() {
  return (
    <>
      <div class="line">
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
