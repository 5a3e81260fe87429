import { expect, it } from 'vitest'
import { deliveryHeaders } from '../../src/contract/index.ts'
import { maker } from '../../src/verify/shot.ts'
import { VECTORS } from '../receive/signing.ts'

it('what is fired is signed as the vectors are (SIG-01), by no code of a receiver', () => {
  for (const { name, secret, timestamp, body, signature } of VECTORS) {
    const make = maker({ secret, names: deliveryHeaders(), now: Date.now, margin: 0 })
    const { headers } = make({ body, timestamp })
    expect(Object.fromEntries(headers)['X-Service-Signature'], name).toBe(signature)
  }
})
