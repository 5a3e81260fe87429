/**
 * What does it cost that the emulator is the whole service? A send to it beside a bare Express route with its JSON
 * parser, in one run, turn by turn. Absolute figures mean nothing on a machine that others share.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { ask, type Contender, launch } from './contenders.ts'
import { fire } from './load.ts'
import { prepareSends } from './sends.ts'

const ROUNDS = Number(process.argv[2] ?? 9)
const REQUESTS = Number(process.argv[3] ?? 4_000)
const CONNECTIONS = 64
const TOKEN = 'bench-token-of-some-length'

type Name = 'emulator' | 'plain'

const contenders: Record<Name, Contender> = {
  emulator: await launch('emulator', TOKEN, 'send-server.ts'),
  plain: await launch('plain', TOKEN, 'send-server.ts'),
}

console.log(
  'emulator: checks a send by every rule, keeps it, reports its statuses. plain: Express with express.json, keeps nothing.\n',
)
for (const contender of Object.values(contenders)) await round(contender)
const pairs: Record<Name, number>[] = []
for (let index = 0; index < ROUNDS; index++) {
  const order: Name[] = index % 2 === 0 ? ['emulator', 'plain'] : ['plain', 'emulator']
  const pair = { emulator: 0, plain: 0 }
  for (const name of order) pair[name] = await round(contenders[name])
  pairs.push(pair)
  console.log(
    `round ${index + 1}: CPU per send emulator ${pair.emulator.toFixed(0)} us, plain ${pair.plain.toFixed(0)} us`,
  )
}
const ratios = pairs.map(({ emulator, plain }) => plain / emulator)
console.log("\nratio = plain's CPU per send / the emulator's; 1.0 is equal, higher is better for the emulator")
console.log(`  median of ${ROUNDS} pairs: ${median(ratios).toFixed(2)}`)
console.log(`Node ${process.version}, ${REQUESTS} sends of 0.6 KB a round, ${CONNECTIONS} connections`)
// The contenders stay until they are told, and keep this process with them.
process.exit()

/** CPU microseconds of the server per send, until its statuses are reported too. */
async function round(contender: Contender): Promise<number> {
  const requests = prepareSends(REQUESTS, TOKEN)
  const before = await ask(contender)
  const load = await fire(contender.port, requests, CONNECTIONS)
  if (load.answers.get(200) !== REQUESTS) throw new Error(`answers: ${JSON.stringify([...load.answers])}`)
  let after = await ask(contender)
  while (after.due > 0) {
    await wait(20)
    after = await ask(contender)
  }
  return (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / REQUESTS
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
