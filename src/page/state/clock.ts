import { computed, signal } from '@preact/signals'
import { attempt } from '../components/messages.ts'
import { change } from '../wire/control.ts'

/** How far the emulator's clock is from this machine's, in milliseconds. */
export const offsetMs = signal(0)

const wallMs = signal(Date.now())
setInterval(() => {
  wallMs.value = Date.now()
}, 1_000)

/** By the emulator's clock, once a second. */
export const now = computed(() => wallMs.value + offsetMs.value)

export function nowExactly(): number {
  return Date.now() + offsetMs.peek()
}

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
