import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')

/** A change of one file of the example: a text that stands there once, and what stands there then. */
type Change = readonly [file: 'bot.ts' | 'orders.ts', from: string, to: string]

/** The look at an order is an effect that is counted, in a file. */
const BASE: readonly Change[] = [
  ['bot.ts', 'import { serve }', "import { appendFileSync } from 'node:fs'\nimport { serve }"],
  [
    'bot.ts',
    'const state = await stateOf(order)',
    `const state = await ctx.once('state', async () => {
    appendFileSync(process.env['EFFECTS'] ?? '', '.')
    return (await stateOf(order)) ?? ''
  })`,
  ],
]

const CHANGES = {
  same: [],
  text: [
    ['bot.ts', "'saa'], (ctx) => ctx.reply('We are open from 9", "'saa'], (ctx) => ctx.reply('We are open from 8"],
  ],
  route: [['bot.ts', 'const menu', "bot.hears('#7782', (ctx) => ctx.reply('Order 7782 is on its way.'))\nconst menu"]],
  throws: [
    [
      'bot.ts',
      "(ctx) => ctx.reply('Somebody will",
      "(ctx) => Promise.reject(new TypeError('nobody')) ?? ctx.reply('Somebody will",
    ],
  ],
  effect: [['orders.ts', "'on its way'", "'lost'"]],
} satisfies Record<string, readonly Change[]>

export type Version = keyof typeof CHANGES

/** Writes the shop of the examples with a change; answers the path of its program. */
export function writeVersion(folder: string, version: Version): string {
  const path = join(folder, version)
  cpSync(join(ROOT, 'examples/auto-reply'), path, { recursive: true })
  mkdirSync(join(path, 'node_modules'))
  symlinkSync(ROOT, join(path, 'node_modules/switchhook'), 'dir')
  writeFileSync(join(path, 'package.json'), '{ "type": "module" }\n')
  for (const [file, from, to] of [...BASE, ...CHANGES[version]]) {
    const text = readFileSync(join(path, file), 'utf8')
    if (text.split(from).length !== 2) throw new Error(`examples/auto-reply/${file} has not once: ${from}`)
    writeFileSync(
      join(path, file),
      text.replace(from, () => to),
    )
  }
  return join(path, 'bot.ts')
}
