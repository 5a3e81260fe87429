import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/client/client.ts'
import { ruleOf } from '../../../src/service/contract.ts'
import { type AttemptResult, decideSend } from '../../../src/bot/outbox/outcome.ts'
import type { SendRow } from '../../../src/store/database/outbox-tables.ts'

const NOW = 1_800_000_000_000
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const send = (change: Partial<SendRow> = {}): SendRow =>
  ({
    id: 's1',
    via: 'freeform',
    attempts: 1,
    firstAttemptAt: NOW,
    attemptingSince: NOW,
    createdAt: NOW,
    possiblyTwice: false,
    fallback: undefined,
    ...change,
  }) as SendRow

const answered = (status: number, code?: string, retryAfterMs?: number): AttemptResult => ({
  error: new ApiError({ message: `${status} ${code}`, status, code, rule: ruleOf(status, code), retryAfterMs }),
})
const noAnswer: AttemptResult = {
  error: new ApiError({
    message: 'no answer',
    status: undefined,
    code: undefined,
    rule: { status: 0, retry: 'backoff', outcome: 'unknown' },
  }),
}
const accepted = (replayed = false): AttemptResult => ({
  message: { id: 'm1', direction: 'OUTBOUND', message_type: 'text', created_at: 'now', wa_message_id: 'wamid.1' },
  replayed,
})

const settle = (
  result: AttemptResult,
  o: {
    row?: Partial<SendRow>
    doubtful?: boolean
    doubtMs?: number
    onUnknown?: 'hold'
    keys?: 'until_settled'
    now?: number
  } = {},
) =>
  decideSend(send(o.row), o.doubtful ?? false, result, {
    now: o.now ?? NOW,
    serviceNow: o.now ?? NOW,
    doubtMs: o.doubtMs ?? 0,
    random: () => 0.5,
    onUnknown: o.onUnknown ?? 'repeat',
    keysRememberedFor: o.keys ?? '24h',
  })

describe('the meaning of an answer for a send', () => {
  it('is accepted for 200, with both ids [B SEND-25]', () => {
    expect(settle(accepted())).toEqual({
      as: 'accepted',
      messageId: 'm1',
      upstreamId: 'wamid.1',
      possiblyTwice: false,
      at: NOW,
    })
  })

  it('is the fallback for a first 409 outside_messaging_window, if there is one [B ERR-06, F-69]', () => {
    const fallback = { key: 'k:fallback', body: '{}' }
    expect(settle(answered(409, 'outside_messaging_window'), { row: { fallback } })).toEqual({ as: 'fall_back' })
    expect(settle(answered(409, 'outside_messaging_window'))).toMatchObject({
      as: 'refused',
      code: 'outside_messaging_window',
    })
  })

  it('is nothing for a 409 to the repeat of an unknown outcome [B ERR-06]', () => {
    const fallback = { key: 'k:fallback', body: '{}' }
    const row = { fallback, attempts: 2 }
    expect(settle(answered(409, 'outside_messaging_window'), { row, doubtful: true })).toMatchObject({
      as: 'attempting',
    })
  })

  it('is unknown for a time-out, a reset and a 5xx: the same send is repeated, never a new one [B IDEM-05, F-66]', () => {
    expect(settle(noAnswer)).toMatchObject({ as: 'attempting' })
    expect(settle(answered(500, 'internal_error'))).toMatchObject({ as: 'attempting' })
    expect(settle(answered(503))).toMatchObject({ as: 'attempting' })
  })

  it('is not sent for 502 send_failed: one more attempt after two seconds, then refused [B IDEM-05, F-71]', () => {
    expect(settle(answered(502, 'send_failed'))).toMatchObject({ as: 'ready', at: NOW + 2_000 + 500 })
    expect(settle(answered(502, 'send_failed'), { row: { attempts: 2 } })).toMatchObject({ as: 'refused' })
  })

  it('is to repeat an unknown outcome for ten minutes from the first attempt in doubt, and then no more [B IDEM-07, F-76]', () => {
    const row = { firstAttemptAt: NOW - 60 * MINUTE }
    const after = (doubtMs: number) => settle(noAnswer, { row, doubtful: true, doubtMs })
    expect(after(10 * MINUTE - 1)).toMatchObject({ as: 'attempting' })
    expect(after(10 * MINUTE)).toMatchObject({ as: 'unknown' })
  })

  it.each([
    { title: 'a repeat within 24 h of the first attempt', age: DAY - 1, marked: false },
    { title: 'one after that', age: DAY, marked: true },
    { title: 'a repeat where keys are forgotten', age: 0, keys: 'until_settled', marked: true },
    { title: 'a replay', age: DAY, replayed: true, marked: false },
  ] as const)(
    'includes a mark if it may be doubled, and none if it is surely one: $title [B IDEM-06]',
    ({ age, marked, ...o }) => {
      const row = { firstAttemptAt: NOW - age }
      const replayed = 'replayed' in o
      const reading = 'keys' in o ? { keys: o.keys } : {}
      expect(settle(accepted(replayed), { row, doubtful: true, ...reading })).toMatchObject({ possiblyTwice: marked })
      const ended = settle(noAnswer, { row, doubtful: true, doubtMs: 10 * MINUTE, ...reading })
      if (!replayed) expect(ended).toMatchObject({ as: 'unknown', surelyOnce: !marked })
    },
  )

  it('is to repeat nothing with onUnknown: hold', () => {
    expect(settle(noAnswer, { onUnknown: 'hold' })).toMatchObject({ as: 'unknown' })
  })

  it('is to hold the send at 401, 402 plan_feature_locked and 403 account_suspended [B ERR-05, F-72]', () => {
    for (const [status, code] of [
      [401, 'not_authenticated'],
      [402, 'plan_feature_locked'],
      [403, 'account_suspended'],
    ] as const)
      expect(settle(answered(status, code))).toMatchObject({ as: 'postponed', code })
  })

  it('is to back off after 429, with jitter and the same key, because nothing was sent [F-70]', () => {
    expect(settle(answered(429, 'rate_limited'))).toMatchObject({ as: 'ready', at: NOW + 500 })
    expect(settle(answered(429), { row: { attempts: 4 } })).toMatchObject({ as: 'ready', at: NOW + 4_000 })
  })

  it('is to wait at least as long as an answer requests, at most a minute, and never less than the back-off [B ERR-03, F-70]', () => {
    expect(settle(answered(429, 'rate_limited', 7_000))).toMatchObject({ as: 'ready', at: NOW + 7_000 })
    expect(settle(answered(503, undefined, 7_000))).toMatchObject({ as: 'attempting', at: NOW + 7_000 })
    expect(settle(answered(502, 'send_failed', 7_000))).toMatchObject({ as: 'ready', at: NOW + 7_000 })
    expect(settle(answered(503, undefined, 86_400_000))).toMatchObject({ as: 'attempting', at: NOW + MINUTE })
    expect(settle(answered(429, 'rate_limited', 0))).toMatchObject({ as: 'ready', at: NOW + 500 })
  })

  it('is a final refusal for every other 4xx, with or without a code, and a wait if somebody else sends it [B ERR-05, F-67, F-68, F-72]', () => {
    for (const result of [
      answered(400),
      answered(404),
      answered(409, 'something_new'),
      answered(422, 'validation_error'),
      answered(422, 'idempotency_key_reused'),
      answered(402, 'plan_limit_reached'),
    ])
      expect(settle(result)).toMatchObject({ as: 'refused' })
    expect(settle(answered(409, 'idempotency_in_progress'))).toMatchObject({ as: 'attempting' })
  })
})
