import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseJson } from '../../base/value.ts'
import { addTapProver, isUnsignedTap, signedTapParts, withIssueTime } from '../../service/tap-id.ts'

/** The customer that an option was sent to. Its id is invalid for another customer. */
export interface Holder {
  readonly number: string
  readonly customer: string
}

/** Signs the ids of options when they are sent, and verifies those that come back. Times are service time. */
export interface TapSigner {
  /** Signs the ids of `tap()` options in a send's body. No other id has their form (`optionId`). */
  sign(body: string, holder: Holder, now: number): string
  /** Undefined if the id was not signed for this holder. */
  verify(id: string, holder: Holder): { name: string; params: unknown; issuedAt: number } | undefined
  /** Until it is ended, JSON of an option contains a proof that `tap()` made it, which this database's bots know. */
  proveOptions(): () => void
}

const SIGNATURE_BYTES = 12
const PROOF_BYTES = 16
const ID_MEMBERS = new Set(['id', 'payload'])

/** @param key stored in the database, so that it survives restarts and changes of the signing secret. */
export function createTapSigner(key: Uint8Array): TapSigner {
  const macOf = (of: readonly string[], bytes: number) =>
    createHmac('sha256', key).update(JSON.stringify(of)).digest().subarray(0, bytes)
  const signatureOf = (id: string, { number, customer }: Holder) => macOf([number, customer, id], SIGNATURE_BYTES)
  // Of two parts, where a signature is of three: neither counts as the other.
  const proofOf = (id: string) => macOf(['option', id], PROOF_BYTES)

  return {
    sign(body, holder, now) {
      if (!body.includes('"~')) return body
      const issued = Math.floor(now / 1000)
      return JSON.stringify(JSON.parse(body), (member: string, value: unknown) => {
        if (!ID_MEMBERS.has(member) || typeof value !== 'string' || !isUnsignedTap(value)) return value
        const id = withIssueTime(value, issued)
        return `${id}.${signatureOf(id, holder).toString('base64url')}`
      })
    },
    verify(id, holder) {
      const parts = signedTapParts(id)
      if (!parts) return undefined
      const signature = Buffer.from(parts.signature, 'base64url')
      if (signature.length !== SIGNATURE_BYTES) return undefined
      if (!timingSafeEqual(signature, signatureOf(parts.body, holder))) return undefined
      const read = paramsIn(parts.params)
      return read && { name: parts.name, params: read.params, issuedAt: parts.issued * 1000 }
    },
    proveOptions: () =>
      addTapProver({
        proofOf: (id) => proofOf(id).toString('base64url'),
        isProof(proof, id) {
          const given = Buffer.from(proof, 'base64url')
          return given.length === PROOF_BYTES && timingSafeEqual(given, proofOf(id))
        },
      }),
  }
}

function paramsIn(encoded: string): { params: unknown } | undefined {
  const params = parseJson(Buffer.from(encoded, 'base64url').toString('utf8'))
  return params === undefined ? undefined : { params }
}
