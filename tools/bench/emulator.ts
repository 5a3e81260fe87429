/**
 * What does it cost that the emulator is the whole service? A send to it beside a bare Express route with its JSON
 * parser, in one run, turn by turn. Absolute figures mean nothing on a machine that others share.
 */
import { type Contender, launch, SECRET } from './contenders.ts'
import { ratio, rounds, type Turn } from './rounds.ts'
import { prepareSends } from './sends.ts'

const ROUNDS = Number(process.argv[2] ?? 9)
const REQUESTS = Number(process.argv[3] ?? 4_000)

const turn = (contender: Contender): Turn => ({
  contender,
  requests: (count) => prepareSends(count, SECRET),
  count: REQUESTS,
})
const emulator = turn(await launch('emulator', { server: 'send-server.ts' }))
const plain = turn(await launch('plain', { server: 'send-server.ts' }))
console.log(
  'emulator: checks a send by every rule, keeps it, reports its statuses. plain: Express with express.json, keeps nothing.\n',
)
const { value, note } = ratio(await rounds({ emulator, plain }, ROUNDS), 'plain', 'emulator')
console.log("\nratio = plain's CPU per send / the emulator's; 1.0 is equal, higher is better for the emulator")
console.log(`  median: ${value.toFixed(2)}; ${note}`)
console.log(`Node ${process.version}, ${REQUESTS} sends of 0.6 KB a round`)
// The contenders run until they are stopped, and keep this process alive.
process.exit()
