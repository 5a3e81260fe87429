/**
 * Two processes on one file, or four or six over PostgreSQL, under all that goes wrong, counted at both ends. A failure
 * tells which message went wrong, with its story, and how to have the same plan again.
 *
 *     npm run torture                                      2,000 deliveries, another seed each time
 *     npm run torture -- --postgres                        receivers and workers over a server that comes with the tests
 *     npm run torture -- --namespaces                      six, and two nodes that are parted from it (Linux, as root, iproute2)
 *     npm run torture -- --namespaces --delay 4            a round trip to the server takes 4 ms
 *     npm run torture -- --postgres --customers 4          a storm: all that the processes do concerns the same customers
 *     npm run torture -- --seed 7 --deliveries 50000       a long run; an odd seed is a service that forgets its keys
 *     TORTURE_OTHER_BUILD=/another/checkout npm run torture    a rolling restart that never ends: every other process is of that build
 */
import { parseArgs } from 'node:util'
import { makePlan } from './plan.ts'
import { explain, summary } from './report.ts'
import { torture } from './run.ts'
import { judge } from './verdict.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    deliveries: { type: 'string', default: '2000' },
    customers: { type: 'string', default: '60' },
    delay: { type: 'string', default: '0' },
    every: { type: 'string', default: '60' },
    postgres: { type: 'boolean', default: false },
    namespaces: { type: 'boolean', default: false },
  },
})
const over = values.namespaces ? 'nodes' : values.postgres ? 'server' : 'file'
const FLAGS = { nodes: ' --namespaces', server: ' --postgres', file: '' }
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000))
const size = {
  deliveries: Number(values.deliveries),
  customers: Number(values.customers),
  faultEvery: Number(values.every),
  roundTripMs: Number(values.delay),
}
console.log(
  `npm run torture -- --seed ${seed} --deliveries ${size.deliveries} --customers ${size.customers} --every ${size.faultEvery} --delay ${size.roundTripMs}${FLAGS[over]}`,
)
const evidence = await torture(makePlan(seed, size, over))
const findings = judge(evidence)
console.log(summary(evidence))
if (findings.length > 0) console.error(explain(findings, evidence))
process.exit(findings.length > 0 ? 1 : 0)
