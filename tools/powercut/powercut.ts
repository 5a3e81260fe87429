/**
 * npm run powercut [-- --lives=10 --cuts=25 --failures=0,1,2,3,10 --seed=1]: cuts the power at random moments of disks whose syncs fail 0, 1,
 * 2, 3 and 10 times in a row, and counts acknowledged deliveries that are missing.
 */
import { parseArgs } from 'node:util'
import { buildLibrary } from './disk.ts'
import { type Outcome, simulate } from './simulate.ts'

const { values } = parseArgs({
  options: {
    lives: { type: 'string', default: '10' },
    cuts: { type: 'string', default: '25' },
    deliveries: { type: 'string', default: '150' },
    failures: { type: 'string', default: '0,1,2,3,10' },
    seed: { type: 'string', default: '1' },
  },
})

const library = buildLibrary()
if (library) {
  let bad = 0
  for (const failures of values.failures.split(',').map(Number)) {
    const total: Outcome = { cuts: 0, bad: 0, acknowledged: 0, first: undefined }
    for (let life = 0; life < Number(values.lives); life++) {
      const seed = Number(values.seed) * 1000 + failures * 100 + life
      const cuts = Number(values.cuts)
      const outcome = await simulate({ library, seed, failures, cuts, deliveries: Number(values.deliveries) })
      total.cuts += outcome.cuts
      total.bad += outcome.bad
      total.acknowledged += outcome.acknowledged
      total.first ??= outcome.first
    }
    bad += total.bad
    const first = total.first ? `; the first: ${total.first}` : ''
    process.stdout.write(
      `${failures} failed syncs in a row: ${total.bad} of ${total.cuts} cuts lost something (${total.acknowledged} acknowledged)${first}\n`,
    )
  }
  library.remove()
  process.exitCode = bad > 0 ? 1 : 0
}
