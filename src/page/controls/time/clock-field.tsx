import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { nowExactly, offsetMs } from '../../state/clock.ts'
import { localTime } from './local-time.ts'
import { setClock } from './move.ts'

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
