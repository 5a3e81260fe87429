import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { maskPhone } from '../base/mask.ts'
import { Refused } from './admin-http.ts'
import type { CustomerOfNumber } from '../store/database/customer-tables.ts'

export type Handles = ReturnType<typeof createHandles>

const NONCE_BYTES = 12
const TAG_BYTES = 16
/** How many customers' handles are cached. To encrypt a handle takes longer than to make the rest of a list's row. */
const STEADY = 2_000

/**
 * Proxies and browsers store the addresses of pages, so addresses contain handles and no phone numbers. Only processes
 * of the database can make and read handles, because they share its secret. Each encryption gives a customer another
 * handle. All of them stay valid.
 */
export function createHandles(secret: Uint8Array) {
  const keyFor = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', use, 32))
  const [cipherKey, tokenKey] = [keyFor('handles'), keyFor('tokens')]

  const steady = new LRUCache<string, { readonly id: string; readonly handle: string }>({ max: STEADY })

  const handles = {
    handleOf({ number, customer }: CustomerOfNumber): string {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce)
      const sealed = [nonce, cipher.update(JSON.stringify([number, customer]), 'utf8'), cipher.final()]
      return Buffer.concat([...sealed, cipher.getAuthTag()]).toString('base64url')
    },
    /** @throws Refused `invalid` */
    customerOf(handle: string): CustomerOfNumber {
      const bytes = Buffer.from(handle, 'base64url')
      try {
        const decipher = createDecipheriv('aes-256-gcm', cipherKey, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        }).setAuthTag(bytes.subarray(-TAG_BYTES))
        const text = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]
        const [number, customer] = JSON.parse(Buffer.concat(text).toString('utf8')) as [
          number: string,
          customer: string,
        ]
        return { number, customer }
      } catch {
        throw new Refused('invalid', 'This name was not made by the admin page of this database.')
      }
    },
    tokenOf: (value: unknown) => createHmac('sha256', tokenKey).update(JSON.stringify(value)).digest('base64url'),
    /** Returns a cached handle and id, for a page that shows the same customers again and again. */
    steadyOf(who: CustomerOfNumber): { readonly id: string; readonly handle: string } {
      const { number, customer } = who
      const key = `${number}/${customer}`
      const known = steady.get(key)
      if (known) return known
      const id = handles.tokenOf(['customer', number, customer]).slice(0, 22)
      const made = { id, handle: handles.handleOf(who) }
      steady.set(key, made)
      return made
    },
  }
  return handles
}

export function maskedName(handle: string, handles: Handles): string {
  const { number, customer } = handles.customerOf(handle)
  return `customer ${maskPhone(customer)} on ${number}`
}
