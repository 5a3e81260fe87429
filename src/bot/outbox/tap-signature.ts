import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseJson } from '../../base/value.ts'
import { isUnsignedTap, signedTapParts, withIssueTime } from '../../service/tap-id.ts'
import type { CustomerOfNumber } from '../../store/database/customer-tables.ts'

export type TapSigner = ReturnType<typeof createTapSigner>

const SIGNATURE_BYTES = 12
const ID_MEMBERS = new Set(['id', 'payload'])

/** Signs the ids of options, each for one customer and number. Times are service time. `key`: kept in the database. */
export function createTapSigner(key: Uint8Array) {
  const signatureOf = (id: string, { number, customer }: CustomerOfNumber) =>
    createHmac('sha256', key)
      .update(JSON.stringify([number, customer, id]))
      .digest()
      .subarray(0, SIGNATURE_BYTES)

  return {
    /** Signs the ids of `tap()` in the body of a send. No other id has their form: see `optionId`. */
    sign(body: string, customer: CustomerOfNumber, now: number): string {
      if (!body.includes('"~')) return body
      const issued = Math.floor(now / 1000)
      return JSON.stringify(JSON.parse(body), (member: string, value: unknown) => {
        if (!ID_MEMBERS.has(member) || typeof value !== 'string' || !isUnsignedTap(value)) return value
        const id = withIssueTime(value, issued)
        return `${id}.${signatureOf(id, customer).toString('base64url')}`
      })
    },
    /** Verifies an id. Undefined if it was not signed for this customer, by any spelling of the number. */
    verify(id: string, { number, customer }: CustomerOfNumber, spellings: readonly string[] = [customer]) {
      const parts = signedTapParts(id)
      if (!parts) return undefined
      const signature = Buffer.from(parts.signature, 'base64url')
      if (signature.length !== SIGNATURE_BYTES) return undefined
      const isOf = (one: string) => timingSafeEqual(signature, signatureOf(parts.body, { number, customer: one }))
      if (!spellings.some(isOf)) return undefined
      const params = parseJson(Buffer.from(parts.params, 'base64url').toString('utf8'))
      return params === undefined ? undefined : { name: parts.name, params, issuedAt: parts.issued * 1000 }
    },
  }
}
