import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DOCS } from '../../support/docs-section.ts'
import { capacity, capacityText } from './capacity.ts'

it('the page about scaling has what the simulation says', () => {
  expect(readFileSync(join(DOCS, 'scaling.md'), 'utf8')).toContain(capacityText())
})

it('more databases are never busier, and numbers that are placed by their load never worse than by a hash', () => {
  const of = (placed: string) => capacity().filter((one) => one.placed === placed)
  const byLoad = of('by load').map(({ busiest }) => busiest)
  expect(byLoad).toEqual(byLoad.toSorted((a, b) => b - a))
  of('by hash').forEach(({ busiest }, index) => expect(busiest).toBeGreaterThanOrEqual(byLoad[index] ?? 0))
})
