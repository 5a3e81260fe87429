import { describe, expect, it } from 'vitest'
import { knownToAllBuilds, sharedMap } from '../../src/base/shared.ts'

/** The same class as another build of the package has it. */
function build() {
  class Refusal extends Error {}
  knownToAllBuilds(Refusal)
  return Refusal
}

describe('two builds of the package in one process', () => {
  const [One, Other] = [build(), build()]

  it('know each other’s errors', () => {
    expect(new One()).toBeInstanceOf(Other)
    expect(new Other()).toBeInstanceOf(One)
    expect(new Error('x')).not.toBeInstanceOf(One)
    const others: readonly unknown[] = [undefined, null, 'text', 7, {}]
    for (const value of others) expect(value instanceof One).toBe(false)
  })

  it('take no error of theirs for one of a class that the app has made of it', () => {
    class Mine extends One {}
    expect(new One()).not.toBeInstanceOf(Mine)
    expect(new Mine()).toBeInstanceOf(Other)
    expect(new Mine()).toBeInstanceOf(Mine)
  })

  it('have one map of a name, and another of another name', () => {
    const key = {}
    sharedMap<object, number>('of a test').set(key, 7)
    expect(sharedMap<object, number>('of a test').get(key)).toBe(7)
    expect(sharedMap<object, number>('of another').get(key)).toBeUndefined()
  })
})
