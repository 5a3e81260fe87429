/**
 * What does durability cost? Ours beside its peers, in one run, turn by turn: absolute figures mean nothing on a machine
 * that others share.
 *
 *     npm run bench                       everything, into docs/performance.md
 *     npm run bench -- plain saturation   these sections alone, to the terminal
 *     npm run bench -- --quick            everything, shorter, to the terminal
 *     npm run bench -- --long             with ten million known ids in place of one
 *     npm run bench -- profile            where the time goes
 */
import { parseArgs } from 'node:util'
import { file, ids, memory, storm } from './costs.ts'
import { counts } from './counts.ts'
import { payload } from './payload.ts'
import { profile } from './profile.ts'
import { ratios, type Size } from './ratios.ts'
import { saturation } from './saturation.ts'
import { format, isMet, lineOf, type Measured, type Section } from './table.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    requests: { type: 'string' },
  },
})
const size: Size = {
  rounds: Number(values.rounds ?? (values.quick ? 3 : 7)),
  requests: Number(values.requests ?? (values.quick ? 4_000 : 8_000)),
}

type Part = readonly [sections: readonly Section[], measure: (chosen: ReadonlySet<Section>) => Promise<Measured[]>]

const PARTS: readonly Part[] = [
  [['plain', 'reply', 'peers', 'insert', 'forgery'], (chosen) => ratios(chosen, size)],
  [['counts'], () => counts(size.requests)],
  [['payload'], async () => payload()],
  [['saturation'], () => saturation(values.quick ? 5 : 10)],
  [['ids'], () => ids(values.long ? 10_000_000 : 1_000_000, size.requests, size.rounds)],
  [['storm'], () => storm(Math.ceil(size.rounds / 2))],
  [['memory'], () => memory()],
  [['file'], () => file()],
]

if (positionals.includes('profile')) await profile()
else {
  const all = PARTS.flatMap(([sections]) => sections)
  const unknown = positionals.filter((name) => !all.some((section) => section === name))
  if (unknown.length > 0) throw new Error(`no section ${unknown.join(', ')}; there are ${all.join(', ')}, profile`)
  for (const [sections, measure] of PARTS) {
    const chosen = sections.filter((name) => positionals.length === 0 || positionals.includes(name))
    if (chosen.length === 0) continue
    console.log(`\n${chosen.join(', ')}`)
    for (const measured of await measure(new Set(chosen))) print(measured)
  }
}
// The contenders stay until they are told, and keep this process with them.
process.exit()

function print(measured: Measured): void {
  const { what, against, atLeast, atMost } = lineOf(measured.key)
  const target = atLeast !== undefined ? ` (at least ${atLeast})` : atMost !== undefined ? ` (at most ${atMost})` : ''
  const met = isMet(measured)
  const mark = met === undefined ? ' ' : met ? '+' : '-'
  console.log(`${mark} ${format(measured.value).padStart(6)}${target}  ${what}: ${against}`)
  if (measured.note) console.log(`         ${measured.note}`)
}
