import type { Role } from './candidates.ts'
import type { Hit } from './collect.ts'
import type { FactName, FoundFacts, How, LockBreak, Shape } from './facts.ts'
import type { LockedEvent, PayloadLock } from './lock-file.ts'
import { contentOf } from './missing.ts'
import { type Narrowed, narrow, narrowedRoles } from './narrow.ts'
import type { FoundView } from './plan.ts'
import { alarm, type Findings, valueAt } from './readings.ts'
import { shapePath } from './shape.ts'
import { phoneOf } from './values.ts'

/** A lock as the reader uses it. */
export class Lock {
  /** The lock's file, as the app named it. */
  readonly file: string
  readonly #byEvent = new Map<string, EventLock>()

  constructor({ events }: PayloadLock, file: string) {
    this.file = file
    for (const [event, locked] of Object.entries(events)) this.#byEvent.set(event, new EventLock(locked, file))
  }

  get events(): string[] {
    return [...this.#byEvent.keys()]
  }

  /** Undefined for an event that is not locked: its facts are guessed. */
  of(event: string): EventLock | undefined {
    return this.#byEvent.get(event)
  }

  locks(event: string, fact: string): boolean {
    return this.#byEvent.get(event)?.places.has(fact as FactName) ?? false
  }
}

/** Facts whose value can always be read if it stands at its place; the others may be blank, or no tap, or no file. */
const READABLE: ReadonlySet<FactName> = new Set(['customer', 'numberId', 'messageId', 'upstreamId', 'at', 'status'])

export class EventLock {
  readonly file: string
  readonly places: ReadonlyMap<FactName, readonly string[]>
  /** The places of each role of which only the locked candidates count. */
  readonly roles: ReadonlyMap<Role, ReadonlySet<string>>
  readonly #fingerprints: ReadonlySet<string>
  /** Each place of any locked shape. */
  readonly #known: ReadonlySet<string>
  /** For each fact, the sets of its places that some locked shape has. */
  readonly #together: ReadonlyMap<FactName, ReadonlySet<string>>
  /** A plan gives the same view for each body of its shape, so each is looked through once. */
  readonly #narrowed = new WeakMap<FoundView, Narrowed>()

  constructor({ facts, shapes }: LockedEvent, file: string) {
    this.file = file
    this.places = new Map(Object.entries(facts) as [FactName, readonly string[]][])
    this.roles = narrowedRoles(this.places)
    this.#fingerprints = new Set(Object.keys(shapes))
    this.#known = new Set(Object.values(shapes).flat())
    const seen = Object.values(shapes).map((places) => new Set(places))
    const setsOf = (places: readonly string[]) =>
      seen.map((shape) => nameOf(places.filter((place) => shape.has(place))))
    this.#together = new Map([...this.places].map(([fact, places]) => [fact, new Set(setsOf(places))]))
  }

  knowsShape({ fingerprint }: Shape): boolean {
    return this.#fingerprints.has(fingerprint)
  }

  /** Tells whether any locked shape has this place. */
  knows(place: string): boolean {
    return this.#known.has(place)
  }

  /** Some locked shape has the fact at these places and at no others, whether they were read for it or not. */
  isUsual(fact: FactName, here: readonly string[], shape: () => Shape): boolean {
    const together = this.#together.get(fact)
    if (together?.has(nameOf(here)) || this.knowsShape(shape())) return true
    const inShape = this.places.get(fact)?.filter((place) => shape().paths.includes(place)) ?? []
    return here.length > 0 && (together?.has(nameOf(inShape)) ?? false)
  }

  placeOf(fact: FactName): string {
    return this.places.get(fact)?.join(' or ') ?? ''
  }

  /**
   * Leaves of a view's candidates those at the locked places.
   *
   * @param isPlanned the view is a plan's, and will come again.
   */
  narrow(found: FoundView, values: readonly unknown[], shape: () => Shape, isPlanned: boolean): Narrowed {
    if (!isPlanned) return narrow(this, found, values, shape)
    let narrowed = this.#narrowed.get(found)
    if (narrowed === undefined) this.#narrowed.set(found, (narrowed = narrow(this, found, values, shape)))
    return narrowed
  }

  /**
   * Marks the facts that were read as locked, takes away those of which the lock says something else, and gives the
   * first of these. Facts that the app maps are its own affair.
   */
  settle(findings: Findings, { breaks, located, rivals, isAbsent }: Narrowed): LockBreak | undefined {
    const { facts, context } = findings
    const { mapping } = context
    const isMapped = (fact: FactName) => mapping !== undefined && Object.hasOwn(mapping, fact)
    let broken = breaks.length > 0 ? breaks.filter(({ fact }) => !isMapped(fact)) : NO_BREAKS
    for (const { fact, paths } of located) {
      const reading = facts[fact]
      if (isMapped(fact)) continue
      if (reading?.how === 'guessed' && isOneOf(paths, reading.path)) markAs(reading, 'locked')
      // It was read at the place of another fact.
      else if (reading?.how === 'guessed' && fact !== 'userId')
        broken = [...broken, { fact, place: this.placeOf(fact), insteadAt: shapePath(reading.path) }]
      else if (!reading && facts.kind && contentOf(facts.kind.value) === fact && isAbsent(fact))
        broken = [...broken, { fact, place: this.placeOf(fact) }]
      else if (!reading && READABLE.has(fact) && paths[0] !== undefined && !isExplained(findings, fact))
        alarm(findings, 'fact_unreadable', fact, paths[0])
    }
    if (broken.length > 0) distrust(facts, broken)
    for (const rival of rivals) doubtCustomer(findings, rival)
    return broken[0]
  }
}

/** The service may have changed what the locked place means: another person than at a new place is not sure. */
function doubtCustomer(findings: Findings, rival: Hit): void {
  const { customer } = findings.facts
  const digits = phoneOf(valueAt(findings, rival))
  if (customer?.how !== 'locked' || digits === undefined || digits === customer.value) return
  alarm(findings, 'fact_conflict', 'customer', rival.path)
  findings.facts.customer = { ...customer, sure: false }
}

/** Nearly always the first; `includes` would cost more than all else that a lock adds. */
function isOneOf(paths: readonly string[], path: string): boolean {
  return paths[0] === path || paths.includes(path)
}

const NO_BREAKS: readonly LockBreak[] = []

function isExplained({ alarms, facts }: Findings, fact: FactName): boolean {
  return alarms.some((each) => each.fact === fact) || (fact === 'customer' && facts.userId !== undefined)
}

/** The reading was made for this view, so it need not be copied. */
function markAs(reading: { how: How; sure: boolean }, how: How): void {
  reading.how = how
}

/** If one fact is not at its place, something else may stand at the place of another. */
function distrust(facts: FoundFacts, broken: readonly LockBreak[]): void {
  for (const { fact } of broken) delete facts[fact]
  for (const reading of Object.values(facts) as { how: How; sure: boolean }[]) {
    if (reading.how !== 'locked') continue
    markAs(reading, 'guessed')
    reading.sure = false
  }
}

function nameOf(places: readonly string[]): string {
  return places.length < 2 ? (places[0] ?? '') : [...places].sort().join('\n')
}
