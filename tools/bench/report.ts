/** Writes what a whole run has shown into the page about performance, between its marks, and the chart beside it. */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { DOCS, writeSection } from '../../test/support/docs-section.ts'
import { chart } from './chart.ts'
import { machine, versions } from './machine.ts'
import type { Profile } from './profile.ts'
import { format, isMet, lineOf, type Measured } from './table.ts'

const PAGE = 'performance.md'
const BY = 'npm run bench'

export function report(all: readonly Measured[], requests: number, profile: Profile): void {
  const others = all.filter(({ key }) => lineOf(key).section !== 'desk')
  writeSection(PAGE, { name: 'figures', by: BY }, figures(others, requests))
  writeSection(PAGE, { name: 'profile', by: BY }, parts(profile))
  writeFileSync(resolve(DOCS, 'performance.svg'), chart(all))
  console.log(`\nwritten: docs/${PAGE}, and its chart`)
}

export function reportDesks(all: readonly Measured[]): void {
  const own = all.filter(({ key }) => lineOf(key).section === 'desk')
  const rows = own.map((measured) => {
    const { what, against, atMost } = lineOf(measured.key)
    const value = `${format(measured.value)}${isMet(measured) === false ? ' ✗' : ''}`
    return `| ${[what, against, value, `≤ ${atMost}`, measured.note ?? ''].join(' | ')} |`
  })
  const head = ['| with open desks | against | figure | target | measured |', '|---|---|---:|---:|---|']
  const foot = ['', `${new Date().toISOString().slice(0, 10)}, on ${machine()}.`]
  writeSection(PAGE, { name: 'open desks', by: BY }, [...head, ...rows, ...foot].join('\n'))
  console.log(`\nwritten: docs/${PAGE}, open desks`)
}

function figures(all: readonly Measured[], requests: number): string {
  const rows = all.map((measured) => {
    const { what, against, atLeast, atMost, aim = '' } = lineOf(measured.key)
    const target = atLeast !== undefined ? `≥ ${atLeast}` : atMost !== undefined ? `≤ ${atMost}` : ''
    const value = `${format(measured.value)}${isMet(measured) === false ? ' ✗' : ''}`
    return `| ${[what, against, value, target, aim, measured.note ?? ''].join(' | ')} |`
  })
  return [
    '| ours: durable, deduplicated, dispatched, settled | against | figure | target | aim | measured |',
    '|---|---|---:|---:|---:|---|',
    ...rows,
    '',
    `${new Date().toISOString().slice(0, 10)}, in turns of ${requests.toLocaleString('en')} requests, on ${machine()}. ${versions()}.`,
  ].join('\n')
}

function parts({ total, cpu, modules }: Profile): string {
  const large = modules.filter(({ us }) => us >= total / 100)
  const rest = total - large.reduce((sum, { us }) => sum + us, 0)
  const rows = [...large, { name: 'others, below 1 % each', us: rest }].map(
    ({ name, us }) => `| ${name} | ${us.toFixed(1)} | ${((us / total) * 100).toFixed(1)} % |`,
  )
  return [
    `| of ${total.toFixed(0)} µs a delivery by the clock, ${cpu.toFixed(0)} µs of CPU | µs | share |`,
    '|---|---:|---:|',
    ...rows,
  ].join('\n')
}
