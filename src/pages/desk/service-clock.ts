import { signal } from '@preact/signals'

const TICK_MS = 5_000

let offset = Date.now() - performance.now()

/** The service time, in milliseconds, whatever this computer's clock shows. */
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
