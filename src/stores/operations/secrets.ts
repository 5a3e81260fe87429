import { randomBytes } from 'node:crypto'
import { one, run, sql, type Steps } from './steps.ts'

const SECRET_BYTES = 32

export function* secret(name: string): Steps<Uint8Array> {
  yield* run(
    sql`INSERT INTO secrets (name, value) VALUES (${name}, ${randomBytes(SECRET_BYTES)}) ON CONFLICT DO NOTHING`,
  )
  return (yield* knownSecret(name)) as Uint8Array
}

/** The same without writing: undefined if the secret was never asked for. */
export function* knownSecret(name: string): Steps<Uint8Array | undefined> {
  return (yield* one<{ value: Uint8Array }>(sql`SELECT value FROM secrets WHERE name = ${name}`))?.value
}
