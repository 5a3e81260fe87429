/**
 * The cost of a delivery over PostgreSQL: ours beside a script that writes the same rows, and beside job queues, on one
 * server, turn by turn. Costs are CPU, since rates mean nothing on a machine that others share.
 *
 *     npm run bench:postgres                            all of it, into docs/performance.md
 *     npm run bench:postgres -- --quick                 shorter, to the terminal
 *     npm run bench:postgres -- drain                   a million items that wait, beside none
 *     npm run bench:postgres -- grow                    one, two and four processes, near and far, into docs/scaling.md
 *     npm run bench:postgres -- grow --against ../before --json grown.json    beside the store of another checkout
 *     npm run bench:postgres -- plans --rows 10000000   the plans of the statements, over large tables
 *     npm run bench:postgres -- bloat --minutes 60      the growth of the tables under 100 deliveries a second
 *     npm run bench:postgres -- prune --rows 1000000 --delay 4    a pass of pruning over so many customers; a round trip takes 4 ms
 *     npm run bench:postgres -- bloat --snapshot --minutes 10 --rate 500    the same while a transaction stays open
 */
import { parseArgs } from 'node:util'
import { bloat } from './bloat.ts'
import { compare } from './compare.ts'
import { drain } from './drain.ts'
import { grow } from './grow.ts'
import { plans } from './plans.ts'
import { prune } from './prune.ts'
import { report } from './report.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    deliveries: { type: 'string' },
    rows: { type: 'string' },
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '100' },
    delay: { type: 'string', default: '0' },
    snapshot: { type: 'boolean', default: false },
    against: { type: 'string' },
    json: { type: 'string' },
    seconds: { type: 'string' },
  },
})
const size = {
  rounds: Number(values.rounds ?? (values.quick ? 3 : 7)),
  deliveries: Number(values.deliveries ?? (values.quick ? 2_000 : 8_000)),
}

switch (positionals[0]) {
  case undefined: {
    const measured = await compare(size)
    if (!values.quick) report(measured, size)
    break
  }
  case 'drain':
    await drain(Number(values.rows ?? 1_000_000), {
      rounds: Number(values.rounds ?? 2),
      deliveries: Number(values.deliveries ?? 60_000),
    })
    break
  case 'bloat':
    await bloat({ minutes: Number(values.minutes), rate: Number(values.rate), snapshot: values.snapshot })
    break
  case 'grow':
    await grow({
      rounds: Number(values.rounds ?? (values.quick ? 1 : 3)),
      seconds: Number(values.seconds ?? (values.quick ? 2 : 5)),
      against: values.against,
      json: values.json,
      writes: !values.quick,
    })
    break
  case 'plans':
    await plans(Number(values.rows ?? 10_000_000))
    break
  case 'prune':
    await prune(Number(values.rows ?? 1_000_000), Number(values.delay), positionals[1])
    break
  default:
    throw new Error(`no ${positionals[0]}; there are bloat, drain, grow, plans, prune`)
}
process.exit()
