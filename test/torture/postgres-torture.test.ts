import { expect, it } from 'vitest'
import { makePlan } from '../../tools/torture/plan.ts'
import { explain } from '../../tools/torture/report.ts'
import { torture } from '../../tools/torture/run.ts'
import { judge } from '../../tools/torture/verdict.ts'

/** With this seed, enough for each kind of fault to have its turn. `npm run torture` plays all that there are. */
const SEED = 67_256
const SIZE = { deliveries: 128, customers: 40, faultEvery: 8 }

it('receivers and workers over one PostgreSQL lose nothing, double nothing beyond the promise and keep each customer’s order, whatever ends or stops them, parts them from the server, breaks its connections, ends it, has its standby take over, sets their clocks apart, fails at the service or comes twice [R DEL-01, R DEL-02, R DEL-03, B IDEM-06, F-46, F-49, F-50, F-51, F-55, F-61, F-66]', {
  timeout: 900_000,
}, async () => {
  const evidence = await torture(makePlan(SEED, SIZE, 'server'))
  const findings = judge(evidence)
  expect(findings.length, explain(findings, evidence)).toBe(0)
})
