import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { BEHAVIOURS } from '../../src/emulator/control/behaviours.ts'
import { DEFAULT_ASSUMPTIONS, SWITCHES } from '../../src/emulator/model/assumptions.ts'

it('docs/open-questions.md has each assumption of the emulator with its readings, the usual one first, and no other', () => {
  const page = readFileSync(new URL('../../docs/open-questions.md', import.meta.url), 'utf8')
  const table = page.slice(page.indexOf('| switch |'))
  const rows = BEHAVIOURS.filter(({ label }) => label === 'assumed').map(
    ({ switch: name, rule, behaviour }) => `| \`${name}\` | ${behaviour} | ${name && readings(name)} | ${rule} |`,
  )
  expect(rows.length).toBeGreaterThan(20)
  expect(table.trim().split('\n')).toEqual(['| switch | open | readings | rule |', '|---|---|---|---|', ...rows])
})

function readings(name: keyof typeof SWITCHES): string {
  const usual = JSON.stringify(DEFAULT_ASSUMPTIONS[name])
  const { values } = SWITCHES[name]
  if (typeof values === 'string') return `\`${usual}\` (${values})`
  const others = values.map((value) => JSON.stringify(value)).filter((value) => value !== usual)
  return [usual, ...others].map((value) => `\`${value}\``).join(', ')
}
