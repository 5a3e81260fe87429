/**
 * What does durability cost? The mounted, durable, dispatching receiver beside Express with express.raw and an HMAC
 * that stores nothing, in one run, turn by turn. Absolute figures mean nothing on a machine that others share.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { ask, type Contender, launch } from './contenders.ts'
import { fire, prepare } from './load.ts'

const ROUNDS = Number(process.argv[2] ?? 7)
const REQUESTS = Number(process.argv[3] ?? 8_000)
const CONNECTIONS = 64
const SECRET = 'bench-secret-of-some-length'

const contenders = {
  ours: await launch('ours', SECRET),
  plain: await launch('plain', SECRET),
}

console.log(
  'ours: verifies, stores and handles each delivery. plain: Express with express.raw and an HMAC, stores nothing.\n',
)
for (const contender of Object.values(contenders)) await round(contender)
const pairs: { ours: number; plain: number; wall: number }[] = []
for (let index = 0; index < ROUNDS; index++) {
  const order = index % 2 === 0 ? (['ours', 'plain'] as const) : (['plain', 'ours'] as const)
  const figures = { ours: { cpu: 0, seconds: 0 }, plain: { cpu: 0, seconds: 0 } }
  for (const name of order) figures[name] = await round(contenders[name])
  pairs.push({ ours: figures.ours.cpu, plain: figures.plain.cpu, wall: figures.plain.seconds / figures.ours.seconds })
  console.log(
    `round ${index + 1}: CPU per request ours ${figures.ours.cpu.toFixed(0)} us, plain ${figures.plain.cpu.toFixed(0)} us`,
  )
}
report()
// The contenders stay until they are told, and keep this process with them.
process.exit()

function report(): void {
  const lowest = (name: 'ours' | 'plain') => Math.min(...pairs.map((pair) => pair[name]))
  console.log("\nratio = plain's CPU per request / ours; 1.0 is equal, higher is better for ours")
  console.log(`  median of ${ROUNDS} pairs: ${median(pairs.map((pair) => pair.plain / pair.ours)).toFixed(2)}`)
  console.log(`  lowest run of each: ${(lowest('plain') / lowest('ours')).toFixed(2)}`)
  console.log("ratio = plain's seconds a round / ours; 1.0 is equal, higher is better for ours")
  console.log(`  median of ${ROUNDS} pairs: ${median(pairs.map((pair) => pair.wall)).toFixed(2)}`)
  console.log(`Node ${process.version}, ${REQUESTS} requests of 1 KB a round, ${CONNECTIONS} connections`)
}

/** CPU microseconds of the server per request, until everything is handled too. */
async function round(contender: Contender): Promise<{ cpu: number; seconds: number }> {
  const requests = prepare(REQUESTS, SECRET)
  const before = await ask(contender)
  const load = await fire(contender.port, requests, CONNECTIONS)
  if (load.answers.get(200) !== REQUESTS) throw new Error(`answers: ${JSON.stringify([...load.answers])}`)
  contender.sent += REQUESTS
  let after = await ask(contender)
  while (after.handled < contender.sent) {
    await wait(20)
    after = await ask(contender)
  }
  const used = after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system
  return { cpu: used / REQUESTS, seconds: load.seconds }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
