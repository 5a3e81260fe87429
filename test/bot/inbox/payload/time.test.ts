import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { message, NOW, received, status } from './reading.ts'

const DAY = 86_400_000
const at = (timestamp: unknown) => received(message({ timestamp }))
const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())

// Far from UTC, or reading local time by mistake would not be seen.
beforeAll(() => {
  vi.stubEnv('TZ', 'Africa/Nairobi')
  expect(new Date(NOW).getTimezoneOffset()).toBe(-180)
})
afterAll(() => vi.unstubAllEnvs())

describe('a payload’s time', () => {
  it('is seconds, milliseconds or microseconds, by magnitude [R EVT-02]', () => {
    for (const timestamp of [1772615721, '1772615721', 1772615721000, '1772615721000', 1772615721000000]) {
      const { facts, alarms } = at(timestamp)
      expect(iso(facts.at?.value)).toBe('2026-03-04T09:15:21.000Z')
      expect(facts.at?.sure).toBe(true)
      expect(alarms).toEqual([])
    }
    expect(iso(at(1772615721.123).facts.at?.value)).toBe('2026-03-04T09:15:21.123Z')
    expect(iso(at('1772615721.4819').facts.at?.value)).toBe('2026-03-04T09:15:21.481Z')
  })

  it('is ISO 8601 with a zone; fractions below a millisecond are cut [R EVT-02]', () => {
    for (const [text, expected] of [
      ['2026-03-04T09:15:21Z', '2026-03-04T09:15:21.000Z'],
      ['2026-03-04T09:15:21.481999Z', '2026-03-04T09:15:21.481Z'],
      ['2026-03-04T09:15:21.5z', '2026-03-04T09:15:21.500Z'],
      ['2026-03-04T12:15:21+03:00', '2026-03-04T09:15:21.000Z'],
      ['2026-03-04 04:45:21-0430', '2026-03-04T09:15:21.000Z'],
      ['2026-03-04T10:15+01', '2026-03-04T09:15:00.000Z'],
      ['2026-03-04 09:15:21 UTC', '2026-03-04T09:15:21.000Z'],
      ['2026-03-04T09:15:21GMT', '2026-03-04T09:15:21.000Z'],
      ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.000Z'],
    ] as const) {
      expect(iso(at(text).facts.at?.value), text).toBe(expected)
      expect(at(text).facts.at?.sure, text).toBe(true)
    }
  })

  it('without a zone is UTC, whatever this machine’s zone, and not sure [R EVT-02]', () => {
    const view = at('2026-03-04T09:15:21.120000')
    expect(iso(view.facts.at?.value)).toBe('2026-03-04T09:15:21.120Z')
    expect(view.facts.at?.sure).toBe(false)
    expect(view.alarms).toEqual([{ code: 'fact_assumed', fact: 'at', path: 'data.timestamp' }])
  })

  it('is not read from anything else: no word, no invalid day, no incomplete one [R EVT-02]', () => {
    for (const text of [
      'yesterday',
      '2026-02-30T00:00:00Z',
      '2025-02-29T00:00:00Z',
      '2026-04-31T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-00-10T00:00:00Z',
      '2026-03-00T00:00:00Z',
      '2026-03-04T24:00:00Z',
      '2026-03-04T09:60:00Z',
      '2026-03-04T09:15:60Z',
      '2026-03-04T09:15:21+24:00',
      '2026-03-04',
      '04/03/2026 09:15',
      '2026-03-04T09:15:21Z and more',
      -1,
      1e17,
      '1'.repeat(18),
      true,
    ]) {
      const view = at(text)
      expect(view.facts.at, String(text)).toBeUndefined()
      expect(view.alarms, String(text)).toEqual([
        { code: 'fact_unreadable', fact: 'at', path: 'data.timestamp' },
        { code: 'fact_missing', fact: 'at' },
      ])
    }
  })

  it('before 2020 or more than a day ahead is flagged, and any plausible one is preferred [R EVT-02]', () => {
    for (const timestamp of [0, 1772615, '2019-12-31T23:59:59Z', NOW + DAY + 1]) {
      const view = at(timestamp)
      expect(view.facts.at?.sure, String(timestamp)).toBe(false)
      expect(view.alarms).toEqual([{ code: 'fact_assumed', fact: 'at', path: 'data.timestamp' }])
      const better = received(message({ timestamp, received_at: '2026-03-04T09:15:21Z' }))
      expect(better.facts.at).toMatchObject({ path: 'data.received_at', sure: true })
    }
    for (const timestamp of ['2020-01-01T00:00:00Z', NOW + DAY]) expect(at(timestamp).facts.at?.sure).toBe(true)
  })

  it('is the message’s, else the envelope’s, which is not sure', () => {
    const envelope = { timestamp: '2026-03-04T09:20:00Z' }
    expect(received({ ...envelope, ...message() }).facts.at).toMatchObject({ path: 'data.timestamp', sure: true })
    expect(received({ ...envelope, ...message({ timestamp: undefined }) }).facts.at).toMatchObject({
      path: 'timestamp',
      sure: false,
    })
  })

  it('of a status is the time of that status', () => {
    const times = {
      sent_at: '2026-03-04T09:15:20Z',
      delivered_at: '2026-03-04T09:15:24Z',
      read_at: '2026-03-04T09:16:00Z',
      timestamp: '2026-03-04T09:17:00Z',
    }
    const read = (value: string, more: object = times) =>
      status({ data: { message_id: 'm', to: '255712000101', status: value, ...more } }).facts.at
    expect(read('delivered')?.path).toBe('data.delivered_at')
    expect(read('READ')?.path).toBe('data.read_at')
    expect(read('failed')?.path).toBe('data.timestamp')
    expect(read('weird', { weird_at: times.read_at, sent_at: times.sent_at })).toBeUndefined()
    expect(read('sent', { created_at: times.sent_at })).toMatchObject({ path: 'data.created_at', sure: false })
  })
})
