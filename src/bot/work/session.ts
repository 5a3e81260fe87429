import { isDeepStrictEqual } from 'node:util'
import { changedByJson, valueAt } from './json-value.ts'
import type { Duration } from '../../base/duration.ts'
import { optionsInvalid, reasonOf, SwitchhookError } from '../../base/errors.ts'
import {
  aFunction,
  type Check,
  checkMembers,
  type Checks,
  countFromOne,
  expecting,
  optionalMs,
  positiveDuration,
  refuse,
} from '../option-checks.ts'
import { isSchema, type Schema, validate } from '../standard-schema.ts'
import type { Log } from '../../base/log.ts'
import type { Store } from '../../store/store.ts'
import type { SessionWrite } from '../../store/customers/customer.ts'
import type { CustomerOfNumber } from '../../store/database/customer-tables.ts'

export interface SessionRules {
  readonly schema: Schema
  /** Milliseconds of service time after the last change, after which a session begins again; undefined for never. */
  readonly ttlMs: number | undefined
  /** The version, which is stored with each session. A session of another version is passed to `migrate` first. */
  readonly version: number
  readonly migrate: ((old: unknown, version: number) => unknown) | undefined
}

export interface OpenSession {
  value: unknown
  /** @throws SwitchhookError `session_invalid` if the changed session could not be read again. */
  hasChanged(): Promise<boolean>
  /** The session to store with the settlement; undefined if nothing changed. */
  changes(now: number): SessionWrite | undefined
}

/**
 * Opens the stored session, or a new one. A session that does not fit its schema any more begins again, with a warning,
 * because otherwise all messages of the customer would fail.
 */
export async function openSession(
  rules: SessionRules | undefined,
  { number, customer }: CustomerOfNumber,
  deps: { readonly store: Store; readonly log: Log; readonly clock: { service(): number } },
): Promise<OpenSession> {
  if (!rules) return { value: {}, hasChanged: async () => false, changes: () => undefined }
  const readAt = deps.clock.service()
  const { session: stored } = await deps.store.customerOf(number, customer, readAt)
  const before = stored?.value
  const read = stored && (await readable(stored, rules))
  if (stored && !read)
    deps.log.warn({ version: stored.version }, 'a stored session no longer fits its schema: it begins again')
  const value = read ? read.value : await newSession(rules)
  const opened = JSON.stringify(value)
  const session: OpenSession = {
    value,
    async hasChanged() {
      const kept = await asKept(rules.schema, session.value)
      if ('problem' in kept)
        throw new SwitchhookError(
          'session_invalid',
          `ctx.session cannot be kept as JSON by its schema: ${kept.problem}`,
        )
      return kept.json !== opened
    },
    changes(now) {
      const after = JSON.stringify(session.value)
      if (after === before) return undefined
      const expiresAt = rules.ttlMs === undefined ? undefined : now + rules.ttlMs
      return { before, readAt, base: opened, value: after, version: rules.version, expiresAt }
    },
  }
  return session
}

/** @throws SwitchhookError `options_invalid` if the schema does not make a new session of `{}`. */
export async function newSession({ schema }: SessionRules): Promise<unknown> {
  const made = await validate(schema, {})
  if ('problem' in made)
    throw optionsInvalid(
      `session: the schema must make a new session out of {}, so give each member a default: ${made.problem}`,
    )
  const kept = await asKept(schema, made.value)
  if ('problem' in kept)
    throw optionsInvalid(
      `session: it is kept as JSON, and a new one does not fit the schema when it comes back: ${kept.problem}`,
    )
  return made.value
}

/** `back`: what the session is when its JSON is read again. A session that is `undefined` is deleted. */
async function asKept(
  schema: Schema,
  value: unknown,
): Promise<{ json: string | undefined; back: unknown } | { problem: string }> {
  if (value === undefined) return { json: undefined, back: undefined }
  try {
    const json = JSON.stringify(value)
    const back = await validate(schema, JSON.parse(json))
    if ('problem' in back) return back
    // Allow a value that JSON changes if the schema restores it, for example makes a Date of a text.
    for (const { path, what, value: before } of changedByJson(value))
      if (!isDeepStrictEqual(valueAt(back.value, path), before))
        return { problem: `${path || 'it'} is ${what}, which JSON changes` }
    return { json, back: back.value }
  } catch (error) {
    return { problem: reasonOf(error) }
  }
}

async function readable(
  stored: { readonly value: string; readonly version: number },
  { schema, version, migrate }: SessionRules,
): Promise<{ value: unknown } | undefined> {
  const old: unknown = JSON.parse(stored.value)
  const migrated = stored.version === version || !migrate ? old : await migrate(old, stored.version)
  const fits = await validate(schema, migrated)
  return 'value' in fits ? fits : undefined
}

/** Changes a session in place, or returns a session that replaces it. */
// oxlint-disable-next-line typescript/no-explicit-any -- the app's own session
export type SessionChange = (session: any) => unknown

const MOST_TRIES = 1_000

/** See `SenderReach.updateSession`. */
export async function updateSession(
  who: CustomerOfNumber,
  change: SessionChange,
  { session: rules, ...deps }: Parameters<typeof openSession>[2] & { readonly session: SessionRules | undefined },
): Promise<unknown> {
  if (!rules)
    throw new SwitchhookError(
      'options_invalid',
      'updateSession(): this bot has no sessions, give it the option session',
    )
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const session = await openSession(rules, who, deps)
    const given: unknown = await change(session.value)
    if (given !== undefined) session.value = given
    await session.hasChanged()
    const write = session.changes(deps.clock.service())
    if (!write || (await deps.store.putSession(who, write))) return session.value
  }
  throw new SwitchhookError(
    'options_invalid',
    `updateSession(): the session was changed during each of ${MOST_TRIES} tries: do not call updateSession() in a change of the same session`,
  )
}

// ── the option `session` ────────────────────────────────────────────────────────────────────────────

/** The app's own state about each customer. */
export interface SessionOptions<S> {
  /** Makes a new session from `{}`, so each member needs a default: else `start()` throws `options_invalid`. */
  schema: S
  /** A session starts empty this long after its last change, by the service's clock. Default: never. */
  ttl?: Duration
  /** The version of the schema. Increase it when the shape changes. Default 1. */
  version?: number
  /**
   * Converts a session of another version, which is newer after a rollback. Default: the old session is used if it fits
   * the schema. A session that does not fit starts empty.
   */
  migrate?: (old: unknown, version: number) => unknown
}

const SESSION_CHECKS: Checks<SessionOptions<Schema>> = {
  schema: expecting('a schema, such as z.object({ lang: z.string().default("en") })', isSchema),
  ttl: positiveDuration,
  version: countFromOne,
  migrate: aFunction,
}

export const sessionOption: Check = (value, name) => {
  if (isSchema(value)) return
  checkMembers(value, name, SESSION_CHECKS)
  if (!isSchema((value as { schema?: unknown }).schema)) throw refuse(`${name}.schema`, 'a schema', undefined)
}

export function sessionRules(given: Schema | SessionOptions<Schema> | undefined): SessionRules | undefined {
  if (given === undefined) return undefined
  const { schema, ttl, version = 1, migrate } = isSchema(given) ? { schema: given } : given
  return { schema, version, migrate, ttlMs: optionalMs(ttl) }
}
