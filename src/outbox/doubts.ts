import type { Clock } from '../base/clock.ts'
import type { SendRow } from '../store/types/index.ts'

/**
 * How long an unknown outcome is repeated with the same bytes and key, from the first attempt in doubt on (IDEM-07).
 */
export const REPEAT_FOR_MS = 10 * 60_000

/**
 * How long the service remembers a key, from its first use; its specification says two things. `literal`: the keys of
 * one-time codes for 24 hours, all others until settlement.
 */
export type KeysRememberedFor = '24h' | 'until_settled' | 'literal'

const REMEMBERED_MS = 24 * 3_600_000

/**
 * True if every copy that went out under a send's key is surely one message. An assumption (IDEM-06): the service
 * remembers keys for as long as the setting says.
 */
export function isSurelyOnce(
  send: Pick<SendRow, 'firstAttemptAt' | 'withheld'>,
  { now, keysRememberedFor }: { readonly now: number; readonly keysRememberedFor: KeysRememberedFor },
): boolean {
  const isRemembered = keysRememberedFor === '24h' || (keysRememberedFor === 'literal' && send.withheld)
  return isRemembered && now - (send.firstAttemptAt ?? now) < REMEMBERED_MS
}

/**
 * How long the outcomes of sends have been unknown. While this process has a send, no step of the wall clock makes the
 * doubt older or younger: a clock that leaps ahead during an outage must not end what the service would still take.
 */
export interface Doubts {
  /** An attempt begins at a send that is in no doubt yet. */
  begin(id: string): void
  /** Milliseconds since the first attempt whose outcome is unknown; by the row, if another process began it. */
  ageOf(send: Pick<SendRow, 'id' | 'attemptingSince'>): number
  end(id: string): void
}

export function createDoubts(clock: Clock): Doubts {
  /** In the order of their beginning, by `clock.monotonic()`. */
  const since = new Map<string, number>()

  function note(id: string, ageMs: number): void {
    const now = clock.monotonic()
    since.set(id, now - ageMs)
    // Another process may have ended them.
    for (const [known, at] of since) {
      if (now - at <= 2 * REPEAT_FOR_MS) break
      since.delete(known)
    }
  }

  return {
    begin: (id) => note(id, 0),
    ageOf({ id, attemptingSince }) {
      const now = clock.wall()
      const known = since.get(id)
      if (known !== undefined) return clock.monotonic() - known
      const age = Math.max(0, now - (attemptingSince ?? now))
      note(id, age)
      return age
    },
    end: (id) => void since.delete(id),
  }
}
