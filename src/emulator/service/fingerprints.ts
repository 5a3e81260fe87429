import { createHash, createHmac } from 'node:crypto'
import type { Assumptions } from '../assumptions.ts'
import type { KeySecret, Remembered } from './remembered.ts'
import type { SentBody } from './validation.ts'

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
