import { createHmac, timingSafeEqual } from 'node:crypto'
import { isUnsignedTap, signedTapParts, withIssueTime } from '../content/index.ts'

/** Whose options they are: an id that was given to one customer opens nothing for another. */
export interface Holder {
  readonly number: string
  readonly customer: string
}

/** Seals the ids of options on their way out, and opens those that come back. Times are service time. */
export interface TapSigner {
  /** A send's body with the ids of its `tap()` options sealed; the same text where it has none. */
  sign(body: string, holder: Holder, now: number): string
  verify(id: string, holder: Holder): { name: string; params: unknown; issuedAt: number } | undefined
}

const SEAL_BYTES = 12
const ID_MEMBERS = new Set(['id', 'payload'])

/** @param key kept in the store, so that it outlives restarts, and the signing secret's changes. */
export function createTapSigner(key: Uint8Array): TapSigner {
  const sealOf = (body: string, { number, customer }: Holder) =>
    createHmac('sha256', key)
      .update(JSON.stringify([number, customer, body]))
      .digest()
      .subarray(0, SEAL_BYTES)

  return {
    sign(body, holder, now) {
      if (!body.includes('"~')) return body
      const issued = Math.floor(now / 1000)
      return JSON.stringify(JSON.parse(body), (member: string, value: unknown) => {
        if (!ID_MEMBERS.has(member) || typeof value !== 'string' || !isUnsignedTap(value)) return value
        // An id of the app's own may look like one, and is its own to read.
        if (paramsIn(value.slice(value.indexOf('.') + 1)) === undefined) return value
        const id = withIssueTime(value, issued)
        return `${id}.${sealOf(id, holder).toString('base64url')}`
      })
    },
    verify(id, holder) {
      const parts = signedTapParts(id)
      if (!parts) return undefined
      const seal = Buffer.from(parts.signature, 'base64url')
      if (seal.length !== SEAL_BYTES || !timingSafeEqual(seal, sealOf(parts.body, holder))) return undefined
      const read = paramsIn(parts.params)
      return read && { name: parts.name, params: read.params, issuedAt: parts.issued * 1000 }
    },
  }
}

function paramsIn(encoded: string): { params: unknown } | undefined {
  try {
    return { params: JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8')) }
  } catch {
    return undefined
  }
}
