import { createHash, createHmac, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { HttpAnswer } from '../http/messages.ts'
import type { Assumptions } from './assumptions.ts'
import { moment } from './clock.ts'

/** The body of a send as it came. */
export interface SentBody {
  readonly raw: Buffer
  readonly json: Readonly<Record<string, unknown>>
  /** The body holds a one-time code, which must not be found from what is kept of the body (OTP-08). */
  readonly holdsCode?: boolean
}

/** A key, with what became of the send that brought it. */
export interface Remembered {
  readonly number: string
  readonly key: string
  /** Of the body's bytes, and of its JSON whatever the order of its members: which one counts can be switched. */
  readonly fingerprint: string
  readonly jsonFingerprint: string
  /** Of the secret that went into the fingerprints, where the body holds a one-time code; else none did. */
  readonly secretMark: string | undefined
  settled: { readonly answer: HttpAnswer; readonly at: number } | undefined
  held: { readonly answer: HttpAnswer; repeats: number } | undefined
}

/** A secret that never leaves this process: a plain hash of a body with a six-digit code gives the code away. */
export interface KeySecret {
  readonly mark: string
  readonly bytes: Buffer
}

export function newKeySecret(): KeySecret {
  return { mark: randomBytes(8).toString('hex'), bytes: randomBytes(32) }
}

const answerSchema = z.strictObject({
  status: z.int().min(200).max(599),
  body: z.string(),
})

/** A settled or held key as a snapshot holds it; one whose send is still under way is in none. */
export const savedKeySchema = z.strictObject({
  number: z.string(),
  key: z.string(),
  fingerprint: z.string(),
  jsonFingerprint: z.string(),
  secretMark: z.string().optional(),
  settled: z.strictObject({ answer: answerSchema, at: moment }).optional(),
  /** `repeats` is null where it is held until it is released. */
  held: z.strictObject({ answer: answerSchema, repeats: z.number().nullable() }).optional(),
})

export type SavedKey = z.infer<typeof savedKeySchema>

/** What tells a key from all others: each number's are apart (GEN-03). */
export function keyId(number: string, key: string): string {
  return JSON.stringify([number, key])
}

export function savedKey(it: Remembered): SavedKey[] {
  const { number, key, fingerprint, jsonFingerprint, secretMark, settled, held } = it
  if (settled === undefined && held === undefined) return []
  const repeats = held !== undefined && Number.isFinite(held.repeats) ? held.repeats : null
  return [
    {
      number,
      key,
      fingerprint,
      jsonFingerprint,
      ...(secretMark !== undefined && { secretMark }),
      ...(settled && { settled: { answer: bare(settled.answer), at: settled.at } }),
      ...(held && { held: { answer: bare(held.answer), repeats } }),
    },
  ]
}

/** A one-time code's key of another process is left out: nobody can tell whether a body is the same (OTP-08). */
export function wasSaved(saved: SavedKey, secret: KeySecret): Remembered[] {
  const { number, key, fingerprint, jsonFingerprint, secretMark, settled, held } = saved
  if (secretMark !== undefined && secretMark !== secret.mark) return []
  return [
    {
      number,
      key,
      fingerprint,
      jsonFingerprint,
      secretMark,
      settled,
      held: held && { answer: held.answer, repeats: held.repeats ?? Number.POSITIVE_INFINITY },
    },
  ]
}

function bare({ status, body }: HttpAnswer): { status: number; body: string } {
  return { status, body }
}

type Fingerprint = Pick<Remembered, 'fingerprint' | 'jsonFingerprint' | 'secretMark'>

/** What is kept of a send's body in place of it, to tell whether a repeat is the same. */
export interface Fingerprints {
  of(body: SentBody): Fingerprint
  isSame(known: Fingerprint, body: SentBody): boolean
}

export function createFingerprints(secret: KeySecret, assumptions: Pick<Assumptions, 'bodiesCompared'>): Fingerprints {
  const digest = (content: string | Buffer, isSecret: boolean) =>
    (isSecret ? createHmac('sha256', secret.bytes) : createHash('sha256')).update(content).digest('hex')

  return {
    of({ raw, json, holdsCode = false }) {
      return {
        fingerprint: digest(raw, holdsCode),
        jsonFingerprint: digest(canonical(json), holdsCode),
        secretMark: holdsCode ? secret.mark : undefined,
      }
    },
    isSame({ fingerprint, jsonFingerprint, secretMark }, { raw, json }) {
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
