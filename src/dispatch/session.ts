import { reasonOf, SwitchhookError } from '../base/errors.ts'
import { type Schema, validated } from '../base/schema.ts'
import type { Log } from '../base/log.ts'
import type { SessionWrite, Store } from '../stores/port/index.ts'

/** How the app keeps state about a customer. */
export interface SessionRules {
  readonly schema: Schema
  /** Milliseconds of the service's time since the last change, after which it begins anew; undefined: never. */
  readonly ttlMs: number | undefined
  /** Stored with each session; one of another version goes through `migrate` first. */
  readonly version: number
  readonly migrate: ((old: unknown, version: number) => unknown) | undefined
}

/** The session of one customer during one attempt. */
export interface OpenSession {
  value: unknown
  /**
   * Whether the handlers changed it.
   *
   * @throws SwitchhookError `session_invalid` where what they made of it could not be read back.
   */
  checked(): Promise<'changed' | undefined>
  /** What is to be stored with the settlement; undefined where nothing changed. */
  changes(now: number): SessionWrite | undefined
  /** It is gone, and what the handler still does to it is not stored. */
  forget(): void
}

const NONE: Omit<OpenSession, 'value'> = {
  checked: async () => undefined,
  changes: () => undefined,
  forget: () => {},
}

/**
 * The stored session, or a new one by the schema's defaults. One that fits no longer begins anew, and that is told:
 * a customer whose state is lost can go on, one whose messages all fail cannot.
 */
export async function openSession(
  rules: SessionRules | undefined,
  who: { readonly number: string; readonly customer: string },
  room: { readonly store: Store; readonly log: Log; readonly clock: { service(): number } },
): Promise<OpenSession> {
  if (!rules) return { ...NONE, value: {} }
  const stored = await room.store.sessionOf(who.number, who.customer, room.clock.service())
  const before = stored?.value
  let value = stored && (await readable(stored, rules))
  if (stored && value === undefined)
    room.log.warn({ version: stored.version }, 'a stored session no longer fits its schema: it begins anew')
  value ??= { value: await fresh(rules) }
  const opened = JSON.stringify(value.value)
  let forgotten = false
  const session: OpenSession = {
    value: value.value,
    forget() {
      forgotten = true
    },
    async checked() {
      if (forgotten) return undefined
      const kept = await asKept(rules.schema, session.value)
      if ('problem' in kept)
        throw new SwitchhookError(
          'session_invalid',
          `ctx.session cannot be kept as JSON by its schema: ${kept.problem}`,
        )
      return kept.json === opened ? undefined : 'changed'
    },
    changes(now) {
      const after = JSON.stringify(session.value)
      if (forgotten || after === before) return undefined
      const expiresAt = rules.ttlMs === undefined ? undefined : now + rules.ttlMs
      return { value: after, version: rules.version, expiresAt }
    },
  }
  return session
}

/**
 * A schema must give a whole session from nothing.
 *
 * @throws SwitchhookError `options_invalid`
 */
export async function fresh({ schema }: SessionRules): Promise<unknown> {
  const made = await validated(schema, {})
  if ('problem' in made)
    throw new SwitchhookError(
      'options_invalid',
      `session: the schema must make a new session out of {}, so give each member a default: ${made.problem}`,
    )
  const kept = await asKept(schema, made.value)
  if ('problem' in kept)
    throw new SwitchhookError(
      'options_invalid',
      `session: it is kept as JSON, and a new one does not fit the schema when it comes back: ${kept.problem}`,
    )
  // The first reading may tidy up, as a trim does; what it gives must stay.
  const again = await asKept(schema, kept.back)
  if ('problem' in again || JSON.stringify(again.back) !== JSON.stringify(kept.back))
    throw new SwitchhookError(
      'options_invalid',
      'session: the schema makes something else of it each time it comes back, at every message: let it transform nothing',
    )
  return made.value
}

/** As it is stored, and as that is read back, where it can be; undefined is none any more. */
async function asKept(
  schema: Schema,
  value: unknown,
): Promise<{ json: string | undefined; back: unknown } | { problem: string }> {
  if (value === undefined) return { json: undefined, back: undefined }
  try {
    const json = JSON.stringify(value)
    const back = await validated(schema, JSON.parse(json))
    return 'problem' in back ? back : { json, back: back.value }
  } catch (error) {
    return { problem: reasonOf(error) }
  }
}

async function readable(
  stored: { readonly value: string; readonly version: number },
  { schema, version, migrate }: SessionRules,
): Promise<{ value: unknown } | undefined> {
  const old: unknown = JSON.parse(stored.value)
  const moved = stored.version === version || !migrate ? old : await migrate(old, stored.version)
  const fits = await validated(schema, moved)
  return 'value' in fits ? fits : undefined
}
