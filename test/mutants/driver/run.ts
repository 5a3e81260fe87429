import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { PROMISES } from '../../promises.ts'
import { allMutants } from './all.ts'
import type { Mutant } from './mutant.ts'
import { type Tried, tryMutants } from './try-mutants.ts'

const USAGE = `npm run mutants                      plants every fault, one at a time, and runs the tests that must notice it
npm run mutants -- receive outbox    those whose source file has one of these words in its path
npm run mutants -- --tenth           the tenth that is today's turn; --tenth=0 to --tenth=9 for a certain one`

const DAY_MS = 86_400_000
const PARTS = 10

let done = 0
const { mutants, which } = choose(await allMutants(), process.argv.slice(2))
console.log(`${mutants.length} mutants${which}`)
const tried = await tryMutants(resolve(import.meta.dirname, '../../..'), mutants, availableParallelism(), say)
const problems = tried.filter(({ problem }) => problem !== undefined)
console.log(
  problems.length === 0
    ? `each of ${tried.length} mutants was killed by the tests that it names`
    : `${problems.length} of ${tried.length} mutants need work; what they break and what to do stands above`,
)
// The end of the last tests would set another code.
process.exit(problems.length === 0 ? 0 : 1)

function say({ mutant: { file, from, to, promise = '', breaks = PROMISES[promise] }, problem }: Tried): void {
  if (++done % 20 === 0) console.log(`${done} of ${mutants.length}`)
  if (problem === undefined) return
  console.log(`\n✗ ${file}\n    ${from}\n    → ${to}\n  breaks: ${breaks}\n  ${problem}\n`)
}

function choose(all: Mutant[], args: string[]): { mutants: Mutant[]; which: string } {
  const bare = args.map((arg) => (arg === '--tenth' ? `--tenth=${Math.floor(Date.now() / DAY_MS) % PARTS}` : arg))
  const { values, positionals } = parse(bare)
  const words = all.filter(({ file }) => positionals.length === 0 || positionals.some((word) => file.includes(word)))
  const chosen = words.filter((_, index) => values.tenth === undefined || index % PARTS === Number(values.tenth))
  if (chosen.length === 0) refuse(`these mutants do not exist: ${args.join(' ')}`)
  const again = `, tenth ${values.tenth} (again with: npm run mutants -- --tenth=${values.tenth})`
  return { mutants: chosen, which: values.tenth === undefined ? '' : again }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { tenth: { type: 'string' } } })
  } catch (error) {
    return refuse((error as Error).message)
  }
}

function refuse(why: string): never {
  console.error(`${why}\n\n${USAGE}`)
  process.exit(2)
}
