import type { Hooks, Observed } from '../bot/report/reports.ts'

const MINUTES = 60
const MINUTE_MS = 60_000

/** `waitedMs`: the longest wait of a message before its handler began, in milliseconds. */
const NOTHING = { accepted: 0, handled: 0, failed: 0, sent: 0, unsent: 0, waitedMs: 0 }

export type LastHour = typeof NOTHING

/**
 * Counts what the hooks of one process report, by the minute, for one hour. @param now Milliseconds since the epoch.
 */
export function countLastHour(now: () => number): { readonly hooks: Hooks; read(): LastHour } {
  const minutes = new Map<number, LastHour>()
  const minuteNow = () => Math.floor(now() / MINUTE_MS)

  function present(): LastHour {
    const key = minuteNow()
    const minute = minutes.get(key) ?? { ...NOTHING }
    minutes.set(key, minute)
    for (const old of minutes.keys()) if (old <= key - MINUTES) minutes.delete(old)
    return minute
  }

  const count =
    (what: Exclude<keyof LastHour, 'waitedMs'>) =>
    ({ waitedMs = 0 }: Observed) => {
      const minute = present()
      minute[what]++
      minute.waitedMs = Math.max(minute.waitedMs, Math.round(waitedMs))
    }

  return {
    hooks: {
      accepted: count('accepted'),
      handled: count('handled'),
      failed: count('failed'),
      dead: count('failed'),
      send_accepted: count('sent'),
      send_refused: count('unsent'),
      send_unknown: count('unsent'),
    },
    read() {
      const sum = { ...NOTHING }
      const first = minuteNow() - MINUTES + 1
      for (const [key, minute] of minutes) {
        if (key < first) continue
        for (const name of ['accepted', 'handled', 'failed', 'sent', 'unsent'] as const) sum[name] += minute[name]
        sum.waitedMs = Math.max(sum.waitedMs, minute.waitedMs)
      }
      return sum
    },
  }
}
