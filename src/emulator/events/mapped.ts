import { stepsOf } from './fill-fixture.ts'
import type { EventFacts } from './fixture.ts'
import { timeLike } from './like-time.ts'

/** The paths at which an app reads the facts of an event: of several paths the first is written. */
export type MappedPaths = Readonly<Record<string, string | readonly string[]>>

/** Content that a message may lack: nothing may stand at its path then. */
const CONTENT = /^(?:text|tapped|media|failureReason)\b/

/** Adds to a made-up payload what the app reads at its own paths, so that the app understands each message. */
export function writeMapped(payload: object, paths: MappedPaths, facts: EventFacts): object {
  const written = structuredClone(payload)
  const all = Object.entries(paths).map(([name, path]) => ({ name, steps: stepsOf([path].flat()[0] ?? '') }))
  const safe = all.filter(({ steps }) => steps.length > 0 && !steps.includes('__proto__'))
  for (const { name, steps } of safe)
    if (CONTENT.test(name) && valueOf(name, facts) === undefined) removeAt(written, steps)
  for (const { name, steps } of safe) {
    const value = valueOf(name, facts)
    if (value !== undefined)
      putAt(written, steps, name === 'at' ? (before) => timeOf(before, Number(value)) : () => value)
  }
  return written
}

/** A tap and a file that are mapped by one path stand there by their id and their address. */
function valueOf(name: string, facts: EventFacts): string | number | undefined {
  return facts[{ tapped: 'tapped.id', media: 'media.url' }[name] ?? name]
}

function timeOf(before: unknown, ms: number): string | number {
  return timeLike(before, ms) ?? new Date(ms).toISOString()
}

type Members = Record<string, unknown>

function putAt(payload: object, steps: readonly string[], value: (before: unknown) => unknown): void {
  let holder = payload as Members
  for (const [i, step] of steps.slice(0, -1).entries()) {
    const inner = Object.hasOwn(holder, step) ? holder[step] : undefined
    const next = typeof inner === 'object' && inner !== null ? inner : /^\d+$/.test(steps[i + 1] ?? '') ? [] : {}
    holder[step] = next
    holder = next as Members
  }
  const last = steps.at(-1) ?? ''
  const before = Object.hasOwn(holder, last) ? holder[last] : undefined
  // An option or a file stands there already, in full.
  if (typeof before !== 'object' || before === null) holder[last] = value(before)
}

function removeAt(payload: object, steps: readonly string[]): void {
  let holder: unknown = payload
  for (const step of steps.slice(0, -1))
    holder =
      typeof holder === 'object' && holder !== null && Object.hasOwn(holder, step)
        ? (holder as Members)[step]
        : undefined
  if (typeof holder === 'object' && holder !== null) delete (holder as Members)[steps.at(-1) ?? '']
}
