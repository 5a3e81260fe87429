/** The facts of an event, by name. `at` is in milliseconds since the epoch. */
export type EventFacts = Readonly<Record<string, string | number | undefined>>

/** For each fact: its path in a payload. If a fact has several paths, the emulator writes at the first. */
export type FactPaths = Readonly<Record<string, string | readonly string[]>>

/** How the app reads one event: a path or a function for each fact, and in `$words` the service's own words. */
export type FactSources = Readonly<Record<string, FactPaths[string] | Finder | Words>>

export type Finder = (payload: object) => unknown

/**
 * From the service's words for kinds and statuses to ours: `{ photo: 'image' }`. If several words mean one kind,
 * payloads are written with the first.
 */
export type Words = Readonly<Record<string, string>>

/** Facts that many messages do not have. `writeFacts` removes the value at the path of a fact that a message lacks. */
const CONTENT = /^(?:text|tapped|media|location|reaction|failureReason)\b/

export function writeFacts(payload: object, paths: FactPaths, facts: EventFacts): object {
  const written = structuredClone(payload)
  const all = Object.entries(paths).map(([name, path]) => ({ name, steps: stepsOf([path].flat()[0] ?? '') }))
  const safe = all.filter(({ steps }) => steps.length > 0 && !steps.includes('__proto__'))
  for (const { name, steps } of safe)
    if (CONTENT.test(name) && factAt(name, facts) === undefined) removeAt(written, steps)
  for (const { name, steps } of safe) {
    const fact = factAt(name, facts)
    if (fact !== undefined) putAt(written, steps, (before, member) => inFormOf(before, name, fact, member))
  }
  return written
}

/** The value of a fact. The fact `tapped` stands for the option's id, and `media` for the file's address. */
function factAt(name: string, facts: EventFacts): string | number | undefined {
  return facts[{ tapped: 'tapped.id', media: 'media.url' }[name] ?? name]
}

export function valueAt(payload: unknown, path: string): unknown {
  return stepsOf(path).reduce(memberOf, payload)
}

/** Splits a path such as `data.contacts[0].wa_id` into names and indices. */
function stepsOf(path: string): string[] {
  return path.split(/[.[\]]+/).filter((step) => step !== '')
}

type Members = Record<string, unknown>

function memberOf(value: unknown, step: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as Members)[step]
    : undefined
}

function putAt(payload: object, steps: readonly string[], value: (before: unknown, member: string) => unknown): void {
  let holder = payload as Members
  for (const [i, step] of steps.slice(0, -1).entries()) {
    const inner = memberOf(holder, step)
    const next = typeof inner === 'object' && inner !== null ? inner : /^\d+$/.test(steps[i + 1] ?? '') ? [] : {}
    holder[step] = next
    holder = next as Members
  }
  const last = steps.at(-1) ?? ''
  const before = memberOf(holder, last)
  // If the payload has an object here, it is the whole option or file, not only its id or address: keep it.
  if (typeof before !== 'object' || before === null) holder[last] = value(before, last)
}

function removeAt(payload: object, steps: readonly string[]): void {
  const holder = steps.slice(0, -1).reduce<unknown>(memberOf, payload)
  if (typeof holder === 'object' && holder !== null) delete (holder as Members)[steps.at(-1) ?? '']
}

function inFormOf(before: unknown, name: string, fact: string | number, member: string): unknown {
  if (name === 'at') return timeLike(before, Number(fact))
  if (name.endsWith('tatus') && typeof before === 'string')
    return before === before.toUpperCase() ? String(fact).toUpperCase() : String(fact).toLowerCase()
  if (typeof before !== 'number' || !Number.isSafeInteger(Number(fact))) return fact
  const isInSeconds = name === 'media.durationMs' && !/ms$/i.test(member)
  return isInSeconds ? Math.round(Number(fact) / 1_000) : Number(fact)
}

/** Writes `ms` in the form of `before`: seconds or milliseconds since the epoch, as a number or a text; else ISO. */
function timeLike(before: unknown, ms: number): string | number {
  const count = typeof before === 'string' && !/^\d+(?:\.\d+)?$/.test(before) ? Number.NaN : Number(before)
  // A smaller number is not the time of an event: in seconds it would be before 1973.
  if (!(count >= 1e8)) return new Date(ms).toISOString()
  const msInUnit = count < 1e11 ? 1_000 : 1
  const like = Math.floor(ms / msInUnit)
  return typeof before === 'number' ? like : String(like)
}
