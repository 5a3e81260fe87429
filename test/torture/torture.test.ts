import { expect, it } from 'vitest'
import { makePlan } from '../../tools/torture/plan.ts'
import { explain } from '../../tools/torture/report.ts'
import { torture } from '../../tools/torture/run.ts'
import { judge } from '../../tools/torture/verdict.ts'

/** With this seed, enough for each kind of fault to have its turn. `npm run torture` plays all that there are. */
const SEED = 206_139
const SIZE = { deliveries: 180, customers: 30, faultEvery: 15 }

it('two processes on one file lose nothing, double nothing beyond the promise and keep each customer’s order, whatever ends them, locks or fails the file, takes its log away, moves the clock, fails at the service or comes twice [R DEL-01, R DEL-02, R DEL-03, B IDEM-06, F-46, F-49, F-50, F-51, F-55, F-61, F-66, F-98, F-101]', async () => {
  const evidence = await torture(makePlan(SEED, SIZE))
  const findings = judge(evidence)
  expect(findings.length, explain(findings, evidence)).toBe(0)
})
