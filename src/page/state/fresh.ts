import { readId } from '../wire/happening-id.ts'
import type { Happening } from '../wire/types.ts'

/**
 * Of what was heard, in its order, what comes after `last`, each once: a stream that comes back tells again what was
 * heard before and is not shown yet.
 */
export function freshOf(heard: readonly Happening[], last: string): readonly Happening[] {
  let latest = last
  return heard.filter(({ id }) => {
    if (!isAfter(id, latest)) return false
    latest = id
    return true
  })
}

function isAfter(id: string, last: string): boolean {
  const [one, before] = [readId(id), readId(last)]
  return one.mark !== before.mark || one.number > before.number
}
