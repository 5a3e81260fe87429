import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/client/client.ts'
import { ruleOf } from '../../../src/service/contract.ts'
import { type AttemptResult, throttleChangeOf } from '../../../src/bot/outbox/outcome.ts'
import type { NumberThrottle } from '../../../src/store/outbox/send-rules.ts'

const NOW = 1_800_000_000_000
const MINUTE = 60_000

const answered = (status: number, code?: string): AttemptResult => ({
  error: new ApiError({ message: `${status} ${code}`, status, code, rule: ruleOf(status, code) }),
})
const accepted: AttemptResult = {
  message: { id: 'm1', direction: 'OUTBOUND', message_type: 'text', created_at: 'now' },
  replayed: false,
}
const closed = (change: Partial<NumberThrottle> = {}): NumberThrottle => ({
  stopped: false,
  closedUntil: NOW + 30_000,
  inARow: 6,
  code: undefined,
  reason: 'the service has trouble',
  ...change,
})

const after = (result: AttemptResult, throttle: NumberThrottle | undefined, changedMeanwhile = false) =>
  throttleChangeOf(result, { throttle, changedMeanwhile }, { now: NOW, random: () => 0.5 })

describe('the throttle of a number', () => {
  it('stays stopped while its probes fail, and is probed again in a minute [B ERR-05, F-72]', () => {
    const stopped = closed({ stopped: true, code: 'account_suspended', inARow: 1 })
    for (const trouble of [answered(503), answered(429, 'rate_limited')])
      expect(after(trouble, stopped)).toEqual({ ...stopped, closedUntil: NOW + MINUTE })
  })

  it('is opened by a success or a refusal that only concerns its own send, if the attempt began after it was closed [B ERR-05]', () => {
    for (const sound of [accepted, answered(402, 'plan_limit_reached'), answered(422, 'validation_error')]) {
      expect(after(sound, closed())).toBe('resumed')
      expect(after(sound, closed(), true)).toBeUndefined()
      expect(after(sound, undefined)).toBeUndefined()
    }
  })

  it('is closed by the first 429, which limits the number, and by the fifth other failure in a row [B SEND-22, F-70]', () => {
    expect(after(answered(429, 'rate_limited'), undefined)).toMatchObject({ inARow: 1, closedUntil: NOW + 750 })
    expect(after(answered(503), closed({ closedUntil: 0, inARow: 3 }))).toMatchObject({ inARow: 4, closedUntil: 0 })
    expect(after(answered(503), closed({ closedUntil: 0, inARow: 4 }))).toMatchObject({
      inARow: 5,
      closedUntil: NOW + 750,
    })
  })

  it('counts simultaneous failures of many attempts as one: only a probe that fails makes the pause longer [B ERR-05, F-70]', () => {
    expect(after(answered(503), closed(), true)).toBeUndefined()
    expect(after(answered(503), closed())).toMatchObject({ inARow: 7, closedUntil: NOW + 3_000 })
  })
})
