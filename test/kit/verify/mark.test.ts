import { describe, expect, it } from 'vitest'
import { DELIVERY_ID_FORM } from '../../../src/service/contract.ts'
import { isFromMatrix, markedId, TEST_CUSTOMER } from '../../../src/kit/verify/shot.ts'

const MARKED = markedId(Date.now())
const SERVICES = '01KAN8T7ZQ4W9B2F6H1M3X5C7D'

describe('a delivery of the matrix', () => {
  it('has its own id in the form of the service’s [R DEL-01]', () => {
    expect(MARKED).toMatch(DELIVERY_ID_FORM)
    expect(markedId(Date.now())).not.toBe(MARKED)
  })

  it.for([
    ['its id', { deliveryId: MARKED, customers: [] }, true],
    ['its customer, who is nobody', { deliveryId: undefined, customers: [TEST_CUSTOMER] }, true],
    ['its bytes, where no id can be read', { deliveryId: undefined, customers: [], body: 'wamid.verify.1' }, true],
    [
      'its customer rather than its id, which is not signed',
      { deliveryId: MARKED, customers: ['255712000101'] },
      false,
    ],
    ['all of its customers', { deliveryId: MARKED, customers: [TEST_CUSTOMER, '255712000101'] }, false],
    [
      'its id rather than a text that a customer wrote',
      { deliveryId: SERVICES, customers: [], body: 'wamid.verify.1' },
      false,
    ],
    ['no sign at all', { deliveryId: undefined, customers: [] }, false],
  ] as const)('is recognised by %s [R SIG-07]', ([, seen, isKnown]) => {
    const body = 'body' in seen ? Buffer.from(seen.body) : undefined
    expect(isFromMatrix({ ...seen, body })).toBe(isKnown)
  })
})
