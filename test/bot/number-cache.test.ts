import { describe, expect, it } from 'vitest'
import { createNumberCache } from '../../src/bot/number-parts.ts'
import { manualTimers } from './in/time.ts'

const MINUTE = 60_000

const down = () => Promise.reject(new Error('the database is down'))

describe('a number of a source', () => {
  it('is looked up once while it is fresh, and in the background after that', async () => {
    const tenants = { shop: { secret: 'old' } }
    const { secretOf, asked, pass } = cacheOf(tenants)
    expect([await secretOf('shop'), await secretOf('shop')]).toEqual(['old', 'old'])
    tenants.shop = { secret: 'new' }
    pass(MINUTE - 1)
    expect(await secretOf('shop')).toBe('old')
    expect(asked).toHaveLength(1)
    pass(1)
    expect(await secretOf('shop'), 'nobody waits for the source').toBe('old')
    await rest()
    expect([await secretOf('shop'), asked.length]).toEqual(['new', 2])
  })

  it('that was unused for twice that time is looked up before use, so that removed ones do not stay valid', async () => {
    const tenants: Record<string, { secret: string }> = { shop: { secret: 'old' } }
    const { secretOf, asked, pass } = cacheOf(tenants)
    await secretOf('shop')
    tenants['shop'] = { secret: 'new' }
    pass(2 * MINUTE)
    expect(await Promise.all([secretOf('shop'), secretOf('shop')])).toEqual(['new', 'new'])
    delete tenants['shop']
    pass(2 * MINUTE)
    expect(await secretOf('shop')).toBe('nobody')
    expect(asked).toHaveLength(3)
  })

  it('with a thousand simultaneous deliveries is looked up once', async () => {
    const { secretOf, asked } = cacheOf({ shop: { secret: 's' } })
    const secrets = await Promise.all(Array.from({ length: 1_000 }, () => secretOf('shop')))
    expect([new Set(secrets), asked]).toEqual([new Set(['s']), ['shop']])
  })

  it('stays as last known while the source is down, and is looked up every ten seconds', async () => {
    const { secretOf, asked, pass, source } = cacheOf({ shop: { secret: 's' } })
    await secretOf('shop')
    source.find = down
    pass(MINUTE)
    for (let second = 0; second < 60; second++) {
      expect(await secretOf('shop')).toBe('s')
      await rest()
      pass(1_000)
    }
    expect(asked).toHaveLength(1 + 6)
  })
})

it('a source that is slow has failed after five seconds', async () => {
  const on = cacheOf({})
  on.source.find = heldSource().find
  const first = on.secretOf('shop')
  await rest()
  on.pass(5_000)
  expect(await first).toBe(
    'NumberUnavailable: number "shop" is not known now: numbers.find() gave no answer within 5 s',
  )
})

describe('a number in doubt', () => {
  it('is looked up at once, and for the same doubt not again for thirty seconds', async () => {
    const tenants = { shop: { secret: 'old' } }
    const { get, renewed, asked, pass, time } = cacheOf(tenants)
    await get('shop')
    tenants.shop = { secret: 'new' }
    const doubt = () => renewed('shop', { since: time.now, atMostEvery: 30_000 })
    pass(1)
    expect(await doubt()).toEqual({ secret: 'new' })
    for (let ms = 0; ms < 29_999; ms += 1_000) {
      pass(ms === 0 ? 1 : 1_000)
      await doubt()
    }
    expect(asked).toHaveLength(2)
    pass(1_000)
    await doubt()
    expect(asked).toHaveLength(3)
  })

  it('is looked up again if a lookup from before the doubt is still open, which may return the old secret', async () => {
    const on = cacheOf({ shop: { secret: 'old' } })
    await on.get('shop')
    on.pass(MINUTE)
    const { held, find } = heldSource()
    on.source.find = find
    await on.get('shop')
    await rest()
    on.pass(1)
    const doubts = Promise.all(
      Array.from({ length: 9 }, () => on.renewed('shop', { since: on.time.now, atMostEvery: 30_000 })),
    )
    held[0]?.answer({ secret: 'old' })
    await rest()
    held[1]?.answer({ secret: 'new' })
    expect(new Set((await doubts).map((one) => one?.secret))).toEqual(new Set(['new']))
    expect(on.asked).toHaveLength(3)
  })
})

it('a source that fails is queried again for an unknown name after a second, and not before', async () => {
  const { secretOf, asked, pass, source } = cacheOf({})
  source.find = down
  for (let one = 0; one < 10; one++) expect(await secretOf('shop')).toContain('NumberUnavailable')
  pass(999)
  await secretOf('shop')
  expect(asked).toHaveLength(1)
  pass(1)
  await secretOf('shop')
  expect(asked).toHaveLength(2)
})

describe('invented names', () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `x${at}`)

  it('are looked up once in ten seconds each, and report no failing source', async () => {
    const { secretOf, asked, told, pass } = cacheOf({})
    for (let second = 0; second < 11; second++) {
      expect(await secretOf('x')).toBe('nobody')
      pass(1_000)
    }
    expect([asked, told]).toEqual([['x', 'x'], []])
  })

  it('are looked up 32 at once, delay no known number, and get no answer above 2,000 of them', async () => {
    const on = cacheOf({ shop: { secret: 's' } })
    await on.secretOf('shop')
    const { held, find } = heldSource()
    on.source.find = find
    const answers = names(2_033).map(on.secretOf)
    expect(await on.secretOf('shop')).toBe('s')
    const waits = new Promise((resolve) => setImmediate(resolve, 'it waits'))
    expect(await Promise.race([answers.at(-1), waits])).toContain('too many unknown names are looked up')
    expect(held).toHaveLength(32)
    on.source.find = async () => undefined
    for (const { answer } of held) answer(undefined)
    expect(await answers[2_031]).toBe('nobody')
  })
})

/** A cache over tenants that a test changes, with time that a test lets pass. */
function cacheOf(tenants: Record<string, { secret: string }>) {
  const timers = manualTimers()
  const time = { now: 0 }
  const asked: string[] = []
  const told: string[] = []
  const source = { find: async (name: string): Promise<unknown> => tenants[name] }
  const cache = createNumberCache<{ secret: string }>({
    find(name) {
      asked.push(name)
      return source.find(name)
    },
    read(_name, found) {
      return { ...(found as { secret: string }) }
    },
    freshForMs: MINUTE,
    keptForMs: 24 * 60 * MINUTE,
    clock: { monotonic: () => time.now },
    timers: timers.timers,
    failed: (name, why, failures) => void told.push(`${name}: ${why} (${failures})`),
  })
  return {
    ...cache,
    asked,
    told,
    time,
    timers,
    source,
    /** Lets time pass, and a millisecond: the cache's spans end after their last one. */
    pass(ms: number): void {
      time.now += ms + 1
      timers.pass(ms)
    },
    /** The secret by which the number would be used, or why it cannot be. */
    secretOf: (name: string) => cache.get(name).then((found) => found?.secret ?? 'nobody', String),
  }
}

/** Resolves when all that was begun and waits for no timer has been done. */
const rest = () => new Promise(setImmediate)

/** A source that does not answer until the test lets it. */
function heldSource() {
  const held: { name: string; answer(found: unknown): void; fail(error: unknown): void }[] = []
  return {
    held,
    find: (name: string) =>
      new Promise<unknown>((answer, fail) => {
        held.push({ name, answer, fail })
      }),
  }
}
