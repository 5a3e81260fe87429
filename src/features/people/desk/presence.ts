import type { Present } from './desk-api.ts'
import type { CustomerOfNumber } from '../../../store/database/customer-tables.ts'

/** How long a page counts as open after its last request. Browsers let a hidden page send only one each minute. */
const PRESENT_MS = 75_000
const TYPING_MS = 8_000

interface Seen extends CustomerOfNumber {
  readonly who: string
  readonly until: number
  readonly typingUntil: number
}

export type Presence = ReturnType<typeof createPresence>

/** Holds in memory who has which chat open. An entry lasts about a minute. */
export function createPresence(now: () => number) {
  const seen = new Map<string, Seen>()
  const keyOf = (who: string, { number, customer }: CustomerOfNumber) => JSON.stringify([who, number, customer])

  function isThere({ until }: Seen): boolean {
    return until > now()
  }

  function of({ number, customer }: CustomerOfNumber): readonly Present[] {
    return [...seen.values()]
      .filter((one) => one.number === number && one.customer === customer && isThere(one))
      .map(({ who, typingUntil }) => ({ who, typing: typingUntil > now() }))
  }

  return {
    of,
    /** Notes that a person has a chat open, or has left it. `isNew`: before, the stream did not send this chat. */
    note(who: string, customer: CustomerOfNumber, { typing, left }: { typing: boolean; left: boolean }) {
      const before = JSON.stringify(of(customer))
      const key = keyOf(who, customer)
      const known = seen.get(key)
      if (left) seen.delete(key)
      else seen.set(key, { ...customer, who, until: now() + PRESENT_MS, typingUntil: typing ? now() + TYPING_MS : 0 })
      return { changed: JSON.stringify(of(customer)) !== before, isNew: !known || !isThere(known) }
    },
    hasOpen: (who: string, customer: CustomerOfNumber) => {
      const found = seen.get(keyOf(who, customer))
      return found !== undefined && isThere(found)
    },
    /** Returns the chats that people have open. `left`: chats whose pages have sent nothing for `PRESENT_MS`. */
    sweep(): { readonly open: readonly CustomerOfNumber[]; readonly left: readonly CustomerOfNumber[] } {
      const left: CustomerOfNumber[] = []
      for (const [key, one] of seen)
        if (!isThere(one)) {
          seen.delete(key)
          left.push({ number: one.number, customer: one.customer })
        }
      const open = new Map(
        [...seen.values()].map(({ number, customer }) => [`${number}/${customer}`, { number, customer }]),
      )
      return { open: [...open.values()], left }
    },
  }
}
