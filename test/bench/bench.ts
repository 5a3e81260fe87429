/**
 * What does durability cost? Ours beside its peers, in one run, turn by turn: absolute figures mean nothing on a machine
 * that others share.
 *
 *     npm run bench                       everything, into docs/performance.md
 *     npm run bench -- plain saturation   these sections alone, to the terminal
 *     npm run bench -- --quick            everything, shorter, to the terminal
 *     npm run bench -- profile            where the time goes
 */
import { parseArgs } from 'node:util'
import { counts } from './counts.ts'
import { profile } from './profile.ts'
import { ratios, type Size } from './ratios.ts'
import { saturation } from './saturation.ts'
import { format, isMet, lineOf, type Measured, type Section } from './table.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    requests: { type: 'string' },
  },
})
const size: Size = {
  rounds: Number(values.rounds ?? (values.quick ? 3 : 7)),
  requests: Number(values.requests ?? (values.quick ? 4_000 : 8_000)),
}

const SECTIONS: Record<Section, () => Promise<Measured[]>> = {
  plain: () => ratios(size),
  counts: () => counts(size.requests),
  saturation: () => saturation(values.quick ? 5 : 10),
}

if (positionals.includes('profile')) await profile()
else {
  const all = Object.keys(SECTIONS) as Section[]
  const unknown = positionals.filter((name) => !all.includes(name as Section))
  if (unknown.length > 0) throw new Error(`no section ${unknown.join(', ')}; there are ${all.join(', ')}, profile`)
  for (const section of all.filter((name) => positionals.length === 0 || positionals.includes(name))) {
    console.log(`\n${section}`)
    for (const measured of await SECTIONS[section]()) print(measured)
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
