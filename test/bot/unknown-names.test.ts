import { describe, expect, it } from 'vitest'
import { cacheOf, heldSource, rest } from './cache-of.ts'

const names = (count: number, prefix = 'x') => Array.from({ length: count }, (_, at) => `${prefix}${at}`)

describe('invented names', () => {
  it('are looked up once in ten seconds each', async () => {
    const { secretOf, asked, pass } = cacheOf({})
    for (let second = 0; second < 10; second++) {
      expect(await secretOf('x')).toBe('nobody')
      pass(1_000)
    }
    expect(asked).toEqual(['x'])
    await secretOf('x')
    expect(asked).toEqual(['x', 'x'])
  })

  it('cost at most a hundred lookups a second, and further ones count as unknown now', async () => {
    const { secretOf, asked, pass } = cacheOf({})
    const answers = []
    for (const name of names(1_000)) answers.push(await secretOf(name))
    expect(asked).toHaveLength(100)
    expect(answers.filter((answer) => answer === 'nobody')).toHaveLength(100)
    expect(answers.at(-1)).toContain('NumberUnavailable')
    pass(1_000)
    for (const name of names(1_000, 'y')) await secretOf(name)
    expect(asked).toHaveLength(200)
  })

  it('delay no known number, which is renewed as always', async () => {
    const { secretOf, asked, pass } = cacheOf({ shop: { secret: 's' } })
    await secretOf('shop')
    pass(60_000)
    for (const name of names(1_000)) await secretOf(name)
    expect(await secretOf('shop')).toBe('s')
    await rest()
    expect(asked.filter((name) => name === 'shop')).toHaveLength(2)
  })

  it('delay no number with deliveries in the database, even if this process does not know it yet', async () => {
    const on = cacheOf(Object.fromEntries(names(100).map((name) => [name, { secret: name }])))
    for (const name of names(100)) on.stored.add(name)
    const strangers = heldSource()
    const find = on.source.find
    on.source.find = (name) => (name.startsWith('y') ? strangers.find(name) : find(name))
    const forged = names(1_000, 'y').map(on.secretOf)
    expect(await Promise.all(names(100).map(on.secretOf))).toEqual(names(100))
    on.pass(5_000)
    await rest()
    on.pass(5_000)
    await Promise.all(forged)
  })

  it('do not report a failing source', async () => {
    const { secretOf, told } = cacheOf({})
    for (const name of names(1_000)) await secretOf(name)
    expect(told).toEqual([])
  })
})

it('numbers that the app sends from need no budget', async () => {
  const { secretOf, get } = cacheOf({ shop: { secret: 's' } })
  for (const name of names(1_000)) await secretOf(name)
  expect(await get('shop')).toEqual({ secret: 's' })
})

describe('a start with thousands of numbers', () => {
  it.each([
    ['whose deliveries the database has: thirty-two', 32, true],
    ['that are new: eight', 8, false],
  ])('looks up so many at once %s, and gets all of them within one second', async (_which, atOnce, isStored) => {
    const tenants = Object.fromEntries(names(2_000).map((name) => [name, { secret: name }]))
    const on = cacheOf(tenants)
    if (isStored) for (const name of names(2_000)) on.stored.add(name)
    let open = 0
    let most = 0
    on.source.find = async (name) => {
      most = Math.max(most, ++open)
      await rest()
      open--
      return tenants[name]
    }
    const secrets = await Promise.all(names(2_000).map(on.secretOf))
    expect(secrets).toEqual(names(2_000))
    expect([most, on.asked.length]).toEqual([atOnce, 2_000])
  })

  it('lets a name wait for five seconds, and looks up the next as soon as there is room', async () => {
    const on = cacheOf({})
    const { held, find } = heldSource()
    on.source.find = find
    const answers = names(20).map(on.secretOf)
    await rest()
    held[0]?.answer({ secret: 'first' })
    await rest()
    expect([await answers[0], held.length]).toEqual(['first', 9])
    on.pass(5_000)
    expect(await answers[19]).toContain('too many other names are looked up')
    expect(await answers[1]).toContain('gave no answer within 5 s')
    await rest()
    expect(held, 'those that gave up waiting are not asked for').toHaveLength(9)
    on.source.find = async () => ({ secret: 's' })
    expect(await on.secretOf('late')).toBe('s')
  })
})
