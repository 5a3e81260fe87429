import { CONTROL } from '../wire/prefix.ts'
import type { Happening } from '../wire/types.ts'

/** These follow what a customer or the app does: a step that does it again brings them. */
export function isToldByItself(event: string): boolean {
  return event.startsWith('message.')
}

/** The ids of the events that somebody fired: the answer to the change stands right after them. */
export function firedByHand(happenings: readonly Happening[]): ReadonlySet<string> {
  const fired = new Set<string>()
  let latest: string | undefined
  for (const happening of happenings) {
    if (happening.kind === 'event') latest = happening.event.id
    if (happening.kind !== 'control') continue
    if (happening.method === 'POST' && happening.path === `${CONTROL}events` && happening.status < 300 && latest)
      fired.add(latest)
  }
  return fired
}
