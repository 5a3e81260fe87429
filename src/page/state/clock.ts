import { computed, signal } from '@preact/signals'

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
