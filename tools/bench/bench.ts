/**
 * The cost of durability: ours beside its peers, in one run, turn by turn: absolute figures mean nothing on a machine
 * that others share.
 *
 *     npm run bench                       everything, into docs/performance.md
 *     npm run bench -- --long             the same, with ten million known ids in place of one
 *     npm run bench -- plain saturation   these sections alone, to the terminal
 *     npm run bench -- --quick            everything, shorter, to the terminal
 *     npm run bench -- desk               the cost of open desks, into docs/performance.md
 *     npm run bench -- profile            where the time goes
 */
import { parseArgs } from 'node:util'
import { file, ids, memory, storm } from './costs.ts'
import { counts } from './counts.ts'
import { desks } from './desks.ts'
import { payload } from './payload.ts'
import { printProfile, profile } from './profile.ts'
import { ratios } from './ratios.ts'
import { report, reportDesks } from './report.ts'
import { saturation } from './saturation.ts'
import { tail } from './tail.ts'
import { format, isMet, lineOf, type Measured, type Section, SECTIONS } from './table.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    requests: { type: 'string' },
  },
})
const size = {
  rounds: Number(values.rounds ?? (values.quick ? 3 : 7)),
  requests: Number(values.requests ?? (values.quick ? 4_000 : 8_000)),
}

const many = values.quick ? 2_000 : 10_000

type Measure = (chosen: ReadonlySet<Section>) => Measured[] | Promise<Measured[]>

const PARTS: readonly (readonly [sections: readonly Section[], measure: Measure])[] = [
  [['plain', 'reply', 'peers', 'insert', 'forgery'], (chosen) => ratios(chosen, size)],
  [['counts'], () => counts(size.requests)],
  [['payload'], () => payload()],
  [['saturation'], () => saturation(values.quick ? 5 : 10)],
  [['tail'], () => tail(size.rounds)],
  [['ids'], () => ids(values.long ? 10_000_000 : 1_000_000, size)],
  [['storm'], () => storm(many, Math.ceil(size.rounds / 2))],
  [['memory'], () => memory(many)],
  [['file'], () => file(many)],
  [['desk'], () => desks(size.rounds)],
]

const unknown = positionals.filter((name) => ![...SECTIONS, 'profile'].some((known) => known === name))
if (unknown.length > 0) throw new Error(`no ${unknown.join(', ')}; there are ${SECTIONS.join(', ')}, profile`)
const chosen = new Set<Section>(SECTIONS.filter((name) => positionals.length === 0 || positionals.includes(name)))
const all: Measured[] = []
for (const [sections, measure] of PARTS) {
  if (!sections.some((section) => chosen.has(section))) continue
  console.log(`\n${sections.filter((section) => chosen.has(section)).join(', ')}`)
  const measured = await measure(chosen)
  for (const one of measured) print(one)
  all.push(...measured)
}
const isWhole = positionals.length === 0 && !values.quick
if (chosen.has('desk') && !values.quick) reportDesks(all)
if (isWhole) report(all, size.requests, await profile())
else if (positionals.includes('profile')) printProfile(await profile())
// The contenders run until they are stopped, and keep this process alive.
process.exit()

function print(measured: Measured): void {
  const { what, against, atLeast, atMost } = lineOf(measured.key)
  const target = atLeast !== undefined ? ` (at least ${atLeast})` : atMost !== undefined ? ` (at most ${atMost})` : ''
  const met = isMet(measured)
  const mark = met === undefined ? ' ' : met ? '+' : '-'
  console.log(`${mark} ${format(measured.value).padStart(6)}${target}  ${what}: ${against}`)
  if (measured.note) console.log(`         ${measured.note}`)
}
