import { createHash, createHmac, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Assumptions } from './assumptions.ts'
import { moment } from './clock.ts'

export interface SentBody {
  readonly raw: Buffer
  readonly json: Readonly<Record<string, unknown>>
  /** The body holds a one-time code, which must not be found from what is kept of the body (OTP-08). */
  readonly holdsCode?: boolean
}

const answerSchema = z.strictObject({
  status: z.int().min(200).max(599),
  body: z.string(),
})

/** The first answer to a send, which a repeat with the same key is given again. */
export type KeptAnswer = Readonly<z.infer<typeof answerSchema>>

export interface KeyRecord extends Fingerprint {
  readonly number: string
  readonly key: string
  settled: { readonly answer: KeptAnswer; readonly at: number } | undefined
  held: { readonly answer: KeptAnswer; repeats: number } | undefined
}

/** The hashes that are kept in place of a send's body, to tell whether a repeat is the same. */
interface Fingerprint {
  /** The hash of the body's bytes, and the one of its JSON in any order of members; a switch says which one counts. */
  readonly fingerprint: string
  readonly jsonFingerprint: string
  /** The mark of the secret in the fingerprints, if the body holds a one-time code; else they use none. */
  readonly secretMark: string | undefined
}

/** A secret that never leaves this process: from a plain hash of its body a six-digit code can be guessed. */
export type KeySecret = ReturnType<typeof newKeySecret>

export function newKeySecret() {
  return { mark: randomBytes(8).toString('hex'), bytes: randomBytes(32) }
}

/** Identifies a key among all: each number's keys are apart (GEN-03). */
export function keyId(number: string, key: string): string {
  return JSON.stringify([number, key])
}

export function createFingerprints(secret: KeySecret, assumptions: Pick<Assumptions, 'bodiesCompared'>) {
  const digest = (content: string | Buffer, isSecret: boolean) =>
    (isSecret ? createHmac('sha256', secret.bytes) : createHash('sha256')).update(content).digest('hex')

  return {
    of({ raw, json, holdsCode = false }: SentBody): Fingerprint {
      return {
        fingerprint: digest(raw, holdsCode),
        jsonFingerprint: digest(canonical(json), holdsCode),
        secretMark: holdsCode ? secret.mark : undefined,
      }
    },
    isSame({ fingerprint, jsonFingerprint, secretMark }: Fingerprint, { raw, json }: SentBody): boolean {
      const isSecret = secretMark !== undefined
      if (fingerprint === digest(raw, isSecret)) return true
      return assumptions.bodiesCompared === 'json' && jsonFingerprint === digest(canonical(json), isSecret)
    },
  }
}

/** JSON text in which the order of members no longer counts. */
function canonical(json: unknown): string {
  return JSON.stringify(json, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

/** A settled or held key as a snapshot holds it; a key whose send is still under way is in none. */
export const savedKeySchema = z.strictObject({
  number: z.string(),
  key: z.string(),
  fingerprint: z.string(),
  jsonFingerprint: z.string(),
  secretMark: z.string().optional(),
  settled: z.strictObject({ answer: answerSchema, at: moment }).optional(),
  /** `repeats` is null if the key is held until it is released. */
  held: z.strictObject({ answer: answerSchema, repeats: z.number().nullable() }).optional(),
})

export type SavedKey = z.infer<typeof savedKeySchema>

export function saveKey({ held, secretMark, settled, ...record }: KeyRecord): SavedKey[] {
  if (settled === undefined && held === undefined) return []
  const repeats = held !== undefined && Number.isFinite(held.repeats) ? held.repeats : null
  return [
    {
      ...record,
      ...(secretMark !== undefined && { secretMark }),
      ...(settled && { settled: { ...settled } }),
      ...(held && { held: { answer: held.answer, repeats } }),
    },
  ]
}

/** Leaves out the key of a one-time code that another process saved: its body can no longer be compared (OTP-08). */
export function restoreKey({ held, secretMark, settled, ...saved }: SavedKey, secret: KeySecret): KeyRecord[] {
  if (secretMark !== undefined && secretMark !== secret.mark) return []
  return [
    {
      ...saved,
      secretMark,
      settled,
      held: held && { answer: held.answer, repeats: held.repeats ?? Number.POSITIVE_INFINITY },
    },
  ]
}
