/**
 * What does `switchhook --version` cost beside `node -e 0`? The program as it ships, in one run, turn by turn. Absolute
 * figures mean nothing on a machine that others share.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { median } from './rounds.ts'

const ROUNDS = Number(process.argv[2] ?? 41)

const BIN = join(import.meta.dirname, '../../bin/switchhook.js')
const pairs: { ours: number; bare: number }[] = []
for (let round = -1; round < ROUNDS; round++) {
  const [first, second] = round % 2 === 0 ? (['ours', 'bare'] as const) : (['bare', 'ours'] as const)
  const figures = { ours: 0, bare: 0 }
  for (const name of [first, second]) figures[name] = took(name === 'ours' ? [BIN, '--version'] : ['-e', '0'])
  // The first one finds nothing in the machine's caches.
  if (round >= 0) pairs.push(figures)
}
console.log(
  `switchhook --version: ${median(pairs.map(({ ours }) => ours)).toFixed(0)} ms, the median of ${ROUNDS} runs`,
)
console.log(`node -e 0: ${median(pairs.map(({ bare }) => bare)).toFixed(0)} ms`)
console.log(`ratio, the median of the pairs: ${median(pairs.map(({ ours, bare }) => ours / bare)).toFixed(2)}`)
console.log(`Node ${process.version}`)

function took(args: readonly string[]): number {
  const began = performance.now()
  const { status } = spawnSync(process.execPath, args)
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
  return performance.now() - began
}
