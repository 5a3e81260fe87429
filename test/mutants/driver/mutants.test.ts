import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { allMutants } from './all.ts'
import { staleness } from './stale.ts'

const root = resolve(import.meta.dirname, '../../..')

it('the planted faults fit the files that they name', async () => {
  const stale = (await allMutants()).flatMap((mutant) => {
    const problem = staleness(root, mutant)
    return problem === undefined ? [] : [{ ...mutant, problem }]
  })
  expect(stale).toEqual([])
})
