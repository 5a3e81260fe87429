import { signal } from '@preact/signals'

const TICK_MS = 5_000

let offset = Date.now() - performance.now()

/** The server's clock, in milliseconds, so that a wrong clock of this computer has no effect. */
export const serverTime = signal(Date.now())

export function setServerTime(now: string): void {
  offset = Date.parse(now) - performance.now()
  tick()
}

function tick(): void {
  serverTime.value = offset + performance.now()
}

export function startTicking(): void {
  setInterval(tick, TICK_MS)
}
