import type { Role } from './candidates.ts'
import type { Hit, Hits } from './collect.ts'
import type { FactName, FoundFacts, LockBreak, Reading, Shape } from './facts.ts'
import type { LockedEvent, PayloadLock } from './lock-file.ts'
import type { FoundView } from './plan.ts'
import { contentOf } from './missing.ts'
import { alarm, type Findings } from './readings.ts'
import { shapePath } from './shape.ts'
import { lostDigits } from './values.ts'

/** A lock as the reader uses it. */
export class Lock {
  /** The lock's file, as the app named it. */
  readonly file: string
  readonly #byEvent = new Map<string, EventLock>()

  constructor({ events }: PayloadLock, file: string) {
    this.file = file
    for (const [event, locked] of Object.entries(events)) this.#byEvent.set(event, new EventLock(locked, file))
  }

  /** Undefined for an event that is not locked: its facts are guessed. */
  of(event: string): EventLock | undefined {
    return this.#byEvent.get(event)
  }

  locks(event: string, fact: string): boolean {
    return this.#byEvent.get(event)?.places.has(fact as FactName) ?? false
  }
}

/**
 * The roles whose candidates a fact may be read from. Titles and the other members of media and templates are no
 * facts of their own: they are looked for beside.
 */
const ROLES_OF: { readonly [F in FactName]: readonly Role[] } = {
  customer: ['customer'],
  userId: ['userId', 'customer'],
  numberId: ['numberId'],
  messageId: ['messageId'],
  upstreamId: ['upstreamId', 'messageId'],
  kind: ['kind'],
  text: ['text'],
  tapped: ['option', 'optionId', 'quickReply'],
  media: ['mediaUrl'],
  at: ['at'],
  status: ['status'],
  failureReason: ['failureReason'],
  template: ['templateId', 'templateName'],
}

/** A role that is another fact's, to which its values belong if they have that fact's form. */
const SHARED: { readonly [F in FactName]?: Role } = { userId: 'customer', upstreamId: 'messageId' }

/** Facts that not every message has: nothing is wrong if one is absent, unless the kind promises it or it stands elsewhere. */
const OPTIONAL: ReadonlySet<FactName> = new Set(['userId', 'upstreamId', 'text', 'tapped', 'media', 'failureReason'])

/** Facts whose value can always be read if it stands at its place; the others may be blank, or no tap, or no file. */
const READABLE: ReadonlySet<FactName> = new Set(['customer', 'numberId', 'messageId', 'upstreamId', 'at', 'status'])

/** The candidates of a view under a lock. */
interface Narrowed {
  /** For the facts that are locked, those at the locked places alone. */
  readonly hits: Hits
  /** The payload's paths at which each locked fact may be read. */
  readonly paths: ReadonlyMap<FactName, readonly string[]>
  /** The facts at whose locked places nothing stands, not even an empty text, in a shape that is not locked. */
  readonly absent: ReadonlySet<FactName>
  /** The facts that do not stand where the lock says. */
  readonly breaks: readonly LockBreak[]
}

/** The lock of one event's facts. */
export class EventLock {
  readonly file: string
  readonly places: ReadonlyMap<FactName, readonly string[]>
  readonly #fingerprints: ReadonlySet<string>
  /** Each place of any locked shape. */
  readonly #known: ReadonlySet<string>
  /** For each fact, the sets of its places that some locked shape has. */
  readonly #together: ReadonlyMap<FactName, ReadonlySet<string>>
  // A plan gives the same view for each body of its shape, so each is looked through once.
  readonly #narrowed = new WeakMap<FoundView, Narrowed>()

  constructor({ facts, shapes }: LockedEvent, file: string) {
    this.file = file
    this.places = new Map(Object.entries(facts) as [FactName, readonly string[]][])
    const seen = Object.values(shapes).map((places) => new Set(places))
    this.#fingerprints = new Set(Object.keys(shapes))
    this.#known = new Set(Object.values(shapes).flat())
    this.#together = new Map(
      [...this.places].map(([fact, places]) => [
        fact,
        new Set(seen.map((shape) => setName(places.filter((place) => shape.has(place))))),
      ]),
    )
  }

  knowsShape({ fingerprint }: Shape): boolean {
    return this.#fingerprints.has(fingerprint)
  }

  /** Tells whether any locked shape has this place. */
  knows(place: string): boolean {
    return this.#known.has(place)
  }

  /** Leaves of a view's candidates those at the locked places. */
  narrow(found: FoundView, values: readonly unknown[], shape: () => Shape): Narrowed {
    let narrowed = this.#narrowed.get(found)
    if (narrowed === undefined) this.#narrowed.set(found, (narrowed = this.#narrow(found, values, shape())))
    return narrowed
  }

  /**
   * Marks the facts that were read as locked, takes away those of which the lock says something else, and gives the
   * first of these. Facts that the app maps are its own affair.
   */
  settle(findings: Findings, facts: FoundFacts, { breaks, paths, absent }: Narrowed): LockBreak | undefined {
    const { mapping } = findings.context
    const isMapped = (fact: FactName) => mapping !== undefined && Object.hasOwn(mapping, fact)
    const broken = breaks.filter(({ fact }) => !isMapped(fact))
    for (const [fact, at] of paths) {
      const reading = facts[fact]
      if (isMapped(fact)) continue
      if (reading?.how === 'guessed' && at.includes(reading.path)) setFact(facts, fact, { ...reading, how: 'locked' })
      // It was read at the place of another fact.
      else if (reading?.how === 'guessed' && fact !== 'userId')
        broken.push({ fact, place: this.#placeOf(fact), insteadAt: shapePath(reading.path) })
      else if (!reading && absent.has(fact) && facts.kind && contentOf(facts.kind.value) === fact)
        broken.push({ fact, place: this.#placeOf(fact) })
      else if (!reading && READABLE.has(fact) && at[0] !== undefined && !this.#isExplained(findings, facts, fact))
        alarm(findings, 'fact_unreadable', fact, at[0])
    }
    for (const { fact } of broken) delete facts[fact]
    // Where one fact is not at its place, something else may stand at the place of another.
    if (broken.length > 0)
      for (const [fact, reading] of Object.entries(facts))
        if (reading.how === 'locked') setFact(facts, fact as FactName, { ...reading, how: 'guessed', sure: false })
    return broken[0]
  }

  #isExplained({ alarms }: Findings, { userId }: FoundFacts, fact: FactName): boolean {
    return alarms.some((each) => each.fact === fact) || (fact === 'customer' && userId !== undefined)
  }

  #placeOf(fact: FactName): string {
    return this.places.get(fact)?.join(' or ') ?? ''
  }

  #narrow({ hits: all, blanks }: FoundView, values: readonly unknown[], shape: Shape): Narrowed {
    const isAt = (place: string, { path, at }: Hit) => fits(values[at], shapePath(path), place)
    const blankPlaces = new Set(blanks.map((path) => `${shapePath(path)}:string`))
    const paths = new Map<FactName, readonly string[]>()
    const absent = new Set<FactName>()
    const breaks: LockBreak[] = []
    for (const [fact, places] of this.places) {
      const candidates = ROLES_OF[fact].flatMap((role) => all[role])
      const here = places.filter((place) => blankPlaces.has(place) || candidates.some((hit) => isAt(place, hit)))
      const locked = candidates.filter((hit) => places.some((place) => isAt(place, hit)))
      paths.set(fact, [...new Set(locked.map(({ path }) => path))])
      if (here.length === 0 && !this.knowsShape(shape)) absent.add(fact)
      const elsewhere = here.length > 0 ? undefined : this.#newPlace(fact, all, values)
      if (elsewhere !== undefined || !(this.#isUsual(fact, here, shape) || (here.length === 0 && OPTIONAL.has(fact))))
        breaks.push({ fact, place: this.#placeOf(fact), ...(elsewhere !== undefined && { insteadAt: elsewhere }) })
    }
    return { hits: this.#lockedHits(all, isAt), paths, absent, breaks }
  }

  /** Some locked shape has the fact at these places and at no others, whether they were read for it or not. */
  #isUsual(fact: FactName, here: readonly string[], shape: Shape): boolean {
    const together = this.#together.get(fact)
    if (this.knowsShape(shape) || together?.has(setName(here))) return true
    const inShape = this.places.get(fact)?.filter((place) => shape.paths.includes(place)) ?? []
    return here.length > 0 && (together?.has(setName(inShape)) ?? false)
  }

  /**
   * A place at which the fact may stand now. Those that a locked shape has beside the locked ones were passed over when
   * the fact was locked.
   */
  #newPlace(fact: FactName, all: Hits, values: readonly unknown[]): string | undefined {
    const candidates = ROLES_OF[fact].flatMap((role) => (role === SHARED[fact] ? [] : all[role]))
    const places = candidates.map(({ path, at }) => `${shapePath(path)}:${typeOf(values[at])}`)
    return places.find((place) => !this.#known.has(place))
  }

  #lockedHits(all: Hits, isAt: (place: string, hit: Hit) => boolean): Hits {
    const hits: { [R in Role]: readonly Hit[] } = { ...all }
    const narrowed = new Map<Role, string[]>()
    for (const [fact, places] of this.places)
      for (const role of ROLES_OF[fact])
        if (role !== SHARED[fact] || this.#isOwned(role)) narrowed.set(role, [...(narrowed.get(role) ?? []), ...places])
    // Of several locked places the one that is guessed first is read first, as when they were locked.
    for (const [role, places] of narrowed)
      hits[role] = all[role].filter((hit) => places.some((place) => isAt(place, hit))).map(asLocked)
    // A template has an id, a name or both: the one that is locked leaves the other as it is.
    if (this.places.has('template') && ROLES_OF.template.some((role) => hits[role].length > 0))
      for (const role of ROLES_OF.template) if (hits[role].length === 0) hits[role] = all[role]
    return hits
  }

  /** The fact to which a shared role belongs is locked. */
  #isOwned(role: Role): boolean {
    return [...this.places.keys()].some((fact) => ROLES_OF[fact][0] === role)
  }
}

function setFact(facts: FoundFacts, fact: FactName, reading: Reading<unknown>): void {
  Object.assign(facts, { [fact]: reading })
}

/** A place that a person confirmed is one of the first choice, wherever it stands. */
function asLocked(hit: Hit, order: number): Hit {
  return { ...hit, candidate: { ...hit.candidate, choice: 'first' }, inMessage: true, order, locked: true }
}

function setName(places: readonly string[]): string {
  return [...places].sort().join('\n')
}

function fits(value: unknown, path: string, place: string): boolean {
  if (`${path}:${typeOf(value)}` === place) return true
  // A number that is too large for one comes with its digits, as a text.
  return `${path}:number` === place && typeof value === 'string' && lostDigits(Number(value))
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}
