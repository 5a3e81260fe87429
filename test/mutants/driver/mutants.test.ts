import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allMutants } from './all.ts'
import type { Mutant } from './mutant.ts'
import { staleness } from './stale.ts'
import { tryMutants } from './try-mutants.ts'

const root = resolve(import.meta.dirname, '../../..')
const fake = 'test/mutants/driver/fake'
const test = `${fake}/door.fake.ts`

const EARLY: Mutant = {
  file: `${fake}/door.ts`,
  from: 'hour >= 9',
  to: 'hour > 9',
  breaks: 'The door opens at nine.',
  killedBy: { [test]: 'opens at nine' },
}

const GATE: Mutant = {
  file: `${fake}/gate.ts`,
  from: 'isOpen(hour)',
  to: '!isOpen(hour)',
  breaks: 'The gate opens with the door.',
  killedBy: { [test]: 'through the gate' },
}

describe('a mutant', () => {
  it('that no longer fits its files, that survives, or that proves nothing is reported, each with what to do', async () => {
    const mutants: Mutant[] = [
      EARLY,
      // The fault before it, in another file that its test needs, must be gone by now.
      GATE,
      { ...EARLY, from: 'hour < 17', to: 'hour <= 17', breaks: 'The door closes at five.' },
      { ...EARLY, killedBy: { [test]: 'closes at five' } },
      { ...EARLY, killedBy: { [test]: 'is red whatever' } },
      { ...EARLY, to: 'hour >= (' },
      { ...EARLY, from: 'hour >= 10' },
      { ...EARLY, from: 'hour' },
      { ...EARLY, to: EARLY.from },
      { ...EARLY, killedBy: {} },
      { ...EARLY, file: `${fake}/window.ts` },
      { ...EARLY, killedBy: { [`${fake}/window.fake.ts`]: 'opens at nine' } },
    ]
    const tried = await tryMutants(root, mutants, 1)
    const problemOf = (mutant: Mutant) => tried.find((one) => one.mutant === mutant)?.problem
    expect(mutants.map(problemOf)).toEqual([
      undefined,
      undefined,
      expect.stringContaining('green with the fault'),
      expect.stringContaining('no test has this title'),
      expect.stringContaining('red without the fault'),
      expect.stringContaining('does not load'),
      expect.stringContaining('not in test/mutants/driver/fake/door.ts any more'),
      expect.stringContaining('stands 3 times'),
      expect.stringContaining('its `to` is its `from`'),
      expect.stringContaining('names no test'),
      expect.stringContaining('window.ts does not exist'),
      expect.stringContaining('window.fake.ts does not exist'),
    ])
  })
})

describe('the mutants', async () => {
  const mutants = await allMutants()

  it('fit the files that they name', () => {
    const stale = mutants.flatMap((mutant) => {
      const problem = staleness(root, mutant)
      return problem === undefined ? [] : [{ ...mutant, problem }]
    })
    expect(stale).toEqual([])
  })
})
