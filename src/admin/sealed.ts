import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import { maskPhone } from '../base/mask.ts'
import { isRecord } from '../base/value.ts'
import type { CustomerOfNumber } from '../stores/port/index.ts'
import { Refused } from './http.ts'

/**
 * Names for what must not stand in an address: proxies and browsers keep addresses. The same value has the same name in
 * all processes over one database, and no name can be made without its secret.
 */
export interface Sealer {
  handleOf(who: CustomerOfNumber): string
  /** @throws Refused `not_found` */
  customerOf(handle: string): CustomerOfNumber
  seal(value: unknown): string
  /** @throws Refused `invalid` */
  open(sealed: string): unknown
  /** A token of something that was shown: the same for the same value. */
  tokenOf(value: unknown): string
}

const IV_BYTES = 16

export function createSealer(secret: Uint8Array): Sealer {
  const keyFor = (use: string) => createHmac('sha256', secret).update(use).digest()
  const [cipherKey, ivKey, tokenKey] = [keyFor('cipher'), keyFor('iv'), keyFor('token')]
  // The start is made of the text, so that equal texts are sealed alike, and proves it when it is opened.
  const ivOf = (text: string) => createHmac('sha256', ivKey).update(text).digest().subarray(0, IV_BYTES)

  function seal(value: unknown): string {
    const text = JSON.stringify(value)
    const iv = ivOf(text)
    const cipher = createCipheriv('aes-256-ctr', cipherKey, iv)
    return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final()]).toString('base64url')
  }

  function open(sealed: string): unknown {
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length <= IV_BYTES) throw unreadable()
    const iv = bytes.subarray(0, IV_BYTES)
    const cipher = createDecipheriv('aes-256-ctr', cipherKey, iv)
    const text = Buffer.concat([cipher.update(bytes.subarray(IV_BYTES)), cipher.final()]).toString('utf8')
    if (!timingSafeEqual(ivOf(text), iv)) throw unreadable()
    return JSON.parse(text) as unknown
  }

  return {
    handleOf: ({ number, customer }) => seal([number, customer]),
    customerOf(handle) {
      const found = open(handle)
      if (!Array.isArray(found) || found.length !== 2) throw unreadable()
      return { number: String(found[0]), customer: String(found[1]) }
    },
    seal,
    open,
    tokenOf: (value) => createHmac('sha256', tokenKey).update(JSON.stringify(value)).digest('base64url'),
  }
}

export function nameOfCustomer(handle: string, sealer: Sealer): string {
  const { number, customer } = sealer.customerOf(handle)
  return `customer ${maskPhone(customer)} on ${number}`
}

function unreadable(): Refused {
  return new Refused('invalid', 'This name was not given out by the admin page of this database.')
}

export function membersOf(opened: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(opened)) throw unreadable()
  return opened
}
