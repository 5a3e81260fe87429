import type { Role } from './candidates.ts'
import type { Hit, Hits } from './collect.ts'
import { type FactName, type LockBreak, OPTIONAL_FACTS, ROLES_OF, type Shape } from './facts.ts'
import type { FoundView } from './plan.ts'
import { shapePath } from './shape.ts'
import { lostDigits } from './values.ts'

/** The candidates of a view under a lock. */
export interface Narrowed {
  /** For the facts that are locked, those at the locked places alone. */
  readonly hits: Hits
  /** The payload's paths at which each locked fact may be read. */
  readonly located: readonly { readonly fact: FactName; readonly paths: readonly string[] }[]
  /** Unmistakable places of a customer that nobody has judged against the locked one. */
  readonly rivals: readonly Hit[]
  /** The facts that do not stand where the lock says. */
  readonly breaks: readonly LockBreak[]
  /** Nothing stands at the fact's places, not even an empty text, and no locked shape is so. */
  isAbsent(fact: FactName): boolean
}

/** The part of a lock that narrowing needs. */
interface Places {
  readonly places: ReadonlyMap<FactName, readonly string[]>
  readonly roles: ReadonlyMap<Role, ReadonlySet<string>>
  knows(place: string): boolean
  knowsShape(shape: Shape): boolean
  isUsual(fact: FactName, here: readonly string[], shape: () => Shape): boolean
  placeOf(fact: FactName): string
}

/** A role that is another fact's, to which its values belong if they have that fact's form. */
const SHARED: { readonly [F in FactName]?: Role } = { userId: 'customer', upstreamId: 'messageId' }

/** The places that count for each role. A shared role is narrowed only if the fact whose own it is is locked. */
export function narrowedRoles(places: ReadonlyMap<FactName, readonly string[]>): Map<Role, Set<string>> {
  const roles = new Map<Role, Set<string>>()
  const owned = new Set([...places.keys()].map((fact) => ROLES_OF[fact][0]))
  for (const [fact, at] of places)
    for (const role of ROLES_OF[fact])
      if (role !== SHARED[fact] || owned.has(role)) roles.set(role, new Set([...(roles.get(role) ?? []), ...at]))
  return roles
}

/** Leaves of a view's candidates those at the locked places, and notes the facts that are not there. */
export function narrow(lock: Places, found: FoundView, values: readonly unknown[], shape: () => Shape): Narrowed {
  const { hits: all, blanks } = found
  const placesOf = placer(values)
  const blankPlaces = new Set(blanks.map((path) => `${shapePath(path)}:string`))
  const located: { fact: FactName; paths: readonly string[] }[] = []
  const breaks: LockBreak[] = []
  const absent = new Set<FactName>()
  for (const [fact, places] of lock.places) {
    const here = new Set<string>(places.filter((place) => blankPlaces.has(place)))
    const paths = new Set<string>()
    let elsewhere: string | undefined
    for (const role of ROLES_OF[fact])
      for (const hit of all[role]) {
        const [own = '', ...others] = placesOf(hit)
        const place = [own, ...others].find((each) => places.includes(each))
        if (place !== undefined) {
          here.add(place)
          paths.add(hit.path)
          // A candidate that a locked shape has beside the locked places was passed over when the fact was locked.
        } else if (role !== SHARED[fact] && !lock.knows(own)) elsewhere ??= own
      }
    located.push({ fact, paths: [...paths] })
    if (here.size === 0) absent.add(fact)
    const moved = here.size === 0 ? elsewhere : undefined
    const isFine = (here.size === 0 && OPTIONAL_FACTS.has(fact)) || lock.isUsual(fact, [...here], shape)
    if (moved !== undefined || !isFine)
      breaks.push({ fact, place: lock.placeOf(fact), ...(moved !== undefined && { insteadAt: moved }) })
  }
  const hits = narrowedHits(lock, all, (hit, places) => placesOf(hit).some((place) => places.has(place)))
  const isShared = hits.customer.some(({ ownMessage }) => !ownMessage)
  const isNews = (hit: Hit) =>
    placesOf(hit).every((place) => !lock.knows(place)) ||
    // Whoever stands around a batch need not have written each of its messages.
    (isShared && hit.ownMessage)
  const rivals = lock.places.has('customer')
    ? all.customer.filter((hit) => hit.candidate.choice === 'first' && isNews(hit))
    : []
  return { hits, located, rivals, breaks, isAbsent: (fact) => absent.has(fact) && !lock.knowsShape(shape()) }
}

function narrowedHits(lock: Places, all: Hits, isAt: (hit: Hit, places: ReadonlySet<string>) => boolean): Hits {
  const hits: { [R in Role]: readonly Hit[] } = { ...all }
  // Of several locked places the one that is guessed first is read first, as when they were locked.
  for (const [role, places] of lock.roles)
    if (all[role].length > 0) hits[role] = all[role].filter((hit) => isAt(hit, places)).map(asLocked)
  // A template has an id, a name or both: the one that is locked leaves the other as it is.
  if (lock.places.has('template') && ROLES_OF.template.some((role) => hits[role].length > 0))
    for (const role of ROLES_OF.template) if (hits[role].length === 0) hits[role] = all[role]
  return hits
}

/** A place that a person confirmed is one of the first choice, wherever it stands. */
function asLocked({ candidate, at, path, ownMessage }: Hit, order: number): Hit {
  // Written out, so that the reader finds its members as those of any other hit.
  const { role, path: plain, rank } = candidate
  const first = { role, path: plain, choice: 'first', rank } as const
  return { candidate: first, at, path, inMessage: true, ownMessage, order, locked: true }
}

const MOST_PATHS = 2_000
const shaped = new Map<string, string>()

/** `shapePath`, remembered: a service has the same few paths in all its payloads. */
function shapedPath(path: string): string {
  let found = shaped.get(path)
  if (found === undefined) {
    if (shaped.size >= MOST_PATHS) shaped.clear()
    shaped.set(path, (found = shapePath(path)))
  }
  return found
}

/** The place of a hit, and a second one for a number that is too large: it comes with its digits, as a text. */
function placer(values: readonly unknown[]): (hit: Hit) => readonly string[] {
  const known = new Map<number, readonly string[]>()
  return ({ at, path }) => {
    let places = known.get(at)
    if (places === undefined) {
      const value = values[at]
      const place = shapedPath(path)
      const type = Array.isArray(value) ? 'array' : typeof value
      places = [`${place}:${type}`]
      if (type === 'string' && lostDigits(Number(value))) places = [...places, `${place}:number`]
      known.set(at, places)
    }
    return places
  }
}
