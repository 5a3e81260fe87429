import { expect, it } from 'vitest'
import { readyAfterGathering } from '../../../src/features/bursts/store/burst-rules.ts'

const RULES = { quietMs: 1_500, maxMs: 8_000, maxMessages: 3 }
const AT_ONCE = 0

it.each([
  { what: 'its first message', since: 50_000, now: 50_000, readyAt: 51_500 },
  { what: 'a message before the quiet is over', since: 50_000, now: 51_499, readyAt: 52_999 },
  { what: 'a message so late that the longest wait comes first', since: 50_000, now: 57_000, readyAt: 58_000 },
  { what: 'a message at the end of the longest wait', since: 50_000, now: 58_000, readyAt: AT_ONCE },
  { what: 'a message behind it, for which its lane was busy', since: 50_000, now: 90_000, readyAt: AT_ONCE },
  { what: 'a message by a clock that went back meanwhile', since: 50_000, now: 20_000, readyAt: 21_500 },
])('a burst is ready after $what at $readyAt [R DEL-03]', ({ since, now, readyAt }) => {
  expect(readyAfterGathering(RULES, { messages: 2, since }, now)).toBe(readyAt)
})
