import { windowOf } from '../../phone/window.ts'
import { now } from '../../state/clock.ts'
import { attempt, notice } from '../../state/notice.ts'
import { numberId } from '../../state/number.ts'
import { customers } from '../../state/threads.ts'
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

/** How the window of the open customer stands, to the number that is written to. */
export function openWindow() {
  const known = customers.value.find((one) => one.customer === customer.value)
  return windowOf(known, numberId.value, now.value)
}

const BEFORE_MS = 1_000

/** To one second before the window of the open customer closes. */
export function toBeforeClose(): void {
  const { is, leftMs } = openWindow()
  if (is === 'never' || is === 'closed' || leftMs <= BEFORE_MS)
    notice.value = `The window of ${customer.value} is not open. It opens when the customer writes.`
  else setClock(new Date(now.value + leftMs - BEFORE_MS))
}
