import { now } from '../../state/clock.ts'
import { attempt, notice } from '../../state/notice.ts'
import { openWindow } from '../../state/open-customer.ts'
import { customer } from '../../state/view.ts'
import { change } from '../../wire/control.ts'

/** Moves the emulator's clock by a span such as `24h`. */
export function moveClock(by: string): void {
  attempt(() => change('POST', 'clock', { advance: by, tellApp: true }))
}

export function setClock(at: Date): void {
  attempt(() => change('POST', 'clock', { now: at.toISOString(), tellApp: true }))
}

export function resetClock(): void {
  attempt(() => change('POST', 'clock', { reset: true, tellApp: true }))
}

const BEFORE_MS = 1_000

/** To one second before the window of the open customer closes. */
export function toBeforeClose(): void {
  const { is, leftMs } = openWindow.value
  if (is === 'never' || is === 'closed' || leftMs <= BEFORE_MS)
    notice.value = `The window of ${customer.value} is not open. It opens when the customer writes.`
  else setClock(new Date(now.value + leftMs - BEFORE_MS))
}
