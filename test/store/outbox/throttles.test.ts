import { expect, it } from 'vitest'
import { closeThrottle, type NumberThrottle } from '../../../src/store/outbox/send-rules.ts'

const NOW = 1_000
const STOPPED: NumberThrottle = {
  stopped: true,
  closedUntil: NOW + 60_000,
  inARow: 1,
  code: 'not_authenticated',
  reason: 'x',
}
const PAUSED: NumberThrottle = {
  stopped: false,
  closedUntil: NOW + 2_000,
  inARow: 2,
  code: 'rate_limited',
  reason: 'y',
}

it.each<[string, NumberThrottle | undefined, NumberThrottle, number | undefined]>([
  ['is closed for the first time', undefined, PAUSED, NOW],
  ['stays closed since the first pause', PAUSED, { ...PAUSED, closedUntil: NOW + 9_000 }, 500],
  ['is closed again after trouble that closed nothing', { ...PAUSED, closedUntil: 0 }, PAUSED, NOW],
  ['is stopped after a pause', PAUSED, STOPPED, NOW],
  ['stays stopped since the first stop', STOPPED, { ...STOPPED, inARow: 2 }, 500],
  ['is not let go by the pause of a send that began before the stop', STOPPED, PAUSED, undefined],
])('the rules of throttles %s [B ERR-05]', (_title, known, closing, since) => {
  const after = closeThrottle(known && { ...known, since: 500 }, closing, NOW)
  expect(after).toEqual(since === undefined ? undefined : { ...closing, since })
})
