import type { Clock } from '../../base/clock.ts'
import type { SendRow } from '../../store/types/types.ts'

/** How long a send with an unknown outcome is repeated, from the first attempt in doubt (IDEM-07). */
export const REPEAT_FOR_MS = 10 * 60_000

/** How long the service remembers a key after its first use. The specification is ambiguous. */
export type KeysRememberedFor = '24h' | 'until_settled'

const REMEMBERED_MS = 24 * 3_600_000

/**
 * True if every copy that was sent under a key is certainly one message. Assumption (IDEM-06): the service remembers
 * keys for as long as the setting says.
 */
export function isSurelyOnce(
  { firstAttemptAt }: Pick<SendRow, 'firstAttemptAt'>,
  { now, keysRememberedFor }: { readonly now: number; readonly keysRememberedFor: KeysRememberedFor },
): boolean {
  return keysRememberedFor === '24h' && now - (firstAttemptAt ?? now) < REMEMBERED_MS
}

/**
 * How long the outcomes of sends have been unknown, by the monotonic clock: a wall clock that jumps ahead during an outage
 * must not end a send that the service would still accept.
 */
export function createDoubts(clock: Clock) {
  /** In the order of their beginning. */
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
    /** Call this at an attempt of a send that is not in doubt yet. */
    begin: (id: string) => note(id, 0),
    /** Milliseconds since the first attempt with an unknown outcome. Read from the row if another process began it. */
    ageOf({ id, attemptingSince }: Pick<SendRow, 'id' | 'attemptingSince'>): number {
      const now = clock.wall()
      const known = since.get(id)
      if (known !== undefined) return clock.monotonic() - known
      const age = Math.max(0, now - (attemptingSince ?? now))
      note(id, age)
      return age
    },
    end: (id: string) => void since.delete(id),
  }
}
