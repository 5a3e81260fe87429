import { computed, signal } from '@preact/signals'
import { runAction } from '../../ui/components/messages.ts'
import { change } from '../wire/control.ts'

/** The emulator's clock minus this machine's, in milliseconds. */
export const offsetMs = signal(0)

const wallMs = signal(Date.now())
setInterval(() => {
  wallMs.value = Date.now()
}, 1_000)

export const now = computed(() => wallMs.value + offsetMs.value)

export function moveClock(by: string): void {
  runAction(() => change('POST', 'clock', { advance: by, tellApp: true }))
}

export function setClock(at: Date): void {
  runAction(() => change('POST', 'clock', { now: at.toISOString(), tellApp: true }))
}

export function resetClock(): void {
  runAction(() => change('POST', 'clock', { reset: true, tellApp: true }))
}
