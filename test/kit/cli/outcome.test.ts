import { expect, it } from 'vitest'
import { deliveryProblem } from '../../../src/kit/cli/support/posted-deliveries.ts'

const URL = 'http://127.0.0.1:3000/'

it('an armed fault is the cause of a 401, because it spoils a signature, and of no other status', () => {
  expect(deliveryProblem(URL, { status: 401, fault: 'tamper' })).toContain('you armed `tamper`')
  expect(deliveryProblem(URL, { status: 500, fault: 'tamper' })).not.toContain('tamper')
  expect(deliveryProblem(URL, { status: 401 })).not.toContain('armed')
})
