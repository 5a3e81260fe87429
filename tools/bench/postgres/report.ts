/** Writes what a whole run has shown into the page about performance, between its marks. */
import { writeSection } from '../../../test/support/docs-section.ts'
import { machine } from '../machine.ts'
import { median } from '../rounds.ts'
import { type Name, ratios, type Round, type Size } from './compare.ts'
import type { Cost } from './server-cpu.ts'
import { versions } from './versions.ts'

const PAGE = 'performance.md'

const NAMES: Readonly<Record<Name, string>> = {
  ours: 'a bot that receives and one that works',
  bare: 'a hand-written script for the same rows',
  'pg-boss': 'pg-boss, a job a delivery, in no order, nothing deduplicated',
  'graphile-worker': 'graphile-worker, a queue a customer, nothing deduplicated',
}

/** The ratios that the bench must reach, in the order of `ratios`. */
const TARGETS = [0.8, 0.8, 3, 1]

export function report(rounds: readonly Round[], { deliveries }: Size): void {
  const middle = (name: Name, of: (costs: Round[Name]) => number) => median(rounds.map((round) => of(round[name])))
  const both = (name: Name, of: (costs: Round[Name]) => Cost) => [
    middle(name, (costs) => of(costs).server).toFixed(0),
    middle(name, (costs) => of(costs).client).toFixed(0),
  ]
  const rows = (Object.keys(NAMES) as Name[]).map((name) => {
    const cells = [NAMES[name], ...both(name, ({ accepting }) => accepting), ...both(name, ({ handling }) => handling)]
    return `| ${cells.join(' | ')} |`
  })
  const found = Object.entries(ratios(rounds)).map(([what, value], index) => {
    const target = TARGETS[index] ?? 0
    return `| ${what} | ${value.toFixed(2)}${value < target ? ' ✗' : ''} | ≥ ${target} |`
  })
  const table = [
    '| µs of CPU a delivery | accepting: server | client | handling: server | client |',
    '|---|---:|---:|---:|---:|',
    ...rows,
    '',
    '| theirs ÷ ours, the median of the rounds | figure | target |',
    '|---|---:|---:|',
    ...found,
    '',
    `${new Date().toISOString().slice(0, 10)}, ${rounds.length} rounds of ${deliveries.toLocaleString('en')} deliveries, on ${machine()}. ${versions()}.`,
  ]
  writeSection(PAGE, { name: 'figures over PostgreSQL', by: 'npm run bench:postgres' }, table.join('\n'))
  console.log(`\nwritten: docs/${PAGE}`)
}
