import { describe, expect, it } from 'vitest'
import { NumberCache } from '../../src/bot/number-lookup.ts'
import { manualTimers } from './inbox/time.ts'

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

it('a number in doubt is looked up at once, also behind a lookup from before the doubt, and again in thirty seconds', async () => {
  const on = cacheOf({ shop: { secret: 'old' } })
  await on.get('shop')
  on.pass(MINUTE)
  const { held, find } = heldSource()
  on.source.find = find
  await on.get('shop')
  await rest()
  on.pass(1)
  const doubt = () => on.renewed('shop', on.time.now)
  const doubts = Promise.all(Array.from({ length: 9 }, doubt))
  held[0]?.answer({ secret: 'old' })
  await rest()
  held[1]?.answer({ secret: 'new' })
  expect(new Set((await doubts).map((one) => one?.secret))).toEqual(new Set(['new']))
  expect(on.asked).toHaveLength(3)
  on.pass(29_999)
  await doubt()
  expect(on.asked).toHaveLength(3)
  on.pass(1)
  void doubt()
  expect(on.asked).toHaveLength(4)
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
    for (const ms of [0, 9_999, 1]) {
      pass(ms)
      expect(await secretOf('x')).toBe('nobody')
    }
    expect([asked, told]).toEqual([['x', 'x'], []])
  })

  it('are looked up 32 at once, delay no known number, and get no answer above 2,000 of them', async () => {
    const on = cacheOf({ shop: { secret: 's' } })
    await on.secretOf('shop')
    const { held, find } = heldSource()
    on.source.find = find
    const answers = names(2_033).map((name) => on.secretOf(name))
    expect(await on.secretOf('shop')).toBe('s')
    const waits = new Promise((resolve) => setImmediate(resolve, 'it waits'))
    expect(await Promise.race([answers.at(-1), waits])).toContain('too many unknown names are looked up')
    expect(held).toHaveLength(32)
    on.source.find = async () => undefined
    for (const { answer } of held) answer(undefined)
    expect(await answers[2_031]).toBe('nobody')
  })
})

describe('names that are not made up', () => {
  it('do not wait for those that may be, and a made-up one waits although the database cannot be asked', async () => {
    const on = cacheOf({ shop: { secret: 's' } })
    const { held, find } = heldSource()
    const shops = on.source.find
    on.source.find = find
    for (let at = 0; at < 2_032; at++) void on.secretOf(`x${at}`, async () => false)
    void on.secretOf('y', async () => Promise.reject(new Error('no database')))
    await rest()
    expect(held).toHaveLength(32)
    on.source.find = shops
    expect(await on.secretOf('shop', async () => true)).toBe('s')
  })

  it('are looked up once, however many deliveries wait for the answer', async () => {
    const on = cacheOf({})
    const { held, find } = heldSource()
    on.source.find = find
    for (let at = 0; at < 32; at++) void on.secretOf(`x${at}`)
    const answers = Promise.all(Array.from({ length: 1_000 }, () => on.secretOf('shop')))
    await rest()
    on.source.find = async () => ({ secret: 's' })
    for (const { answer } of held) answer(undefined)
    expect(new Set(await answers)).toEqual(new Set(['s']))
    expect(on.asked.filter((name) => name === 'shop')).toHaveLength(1)
  })
})

/** A cache over tenants that a test changes, with time that a test lets pass. */
function cacheOf(tenants: Record<string, { secret: string }>) {
  const timers = manualTimers()
  const time = { now: 0 }
  const asked: string[] = []
  const told: string[] = []
  const source = { find: async (name: string): Promise<unknown> => tenants[name] }
  const cache = new NumberCache<{ secret: string }>({
    find(name) {
      asked.push(name)
      return source.find(name)
    },
    read(_name, found) {
      return { ...(found as { secret: string }) }
    },
    clock: { monotonic: () => time.now },
    timers: timers.timers,
    failed: (name, why, failures) => void told.push(`${name}: ${why} (${failures})`),
  })
  return {
    get: (name: string) => cache.get(name),
    renewed: (name: string, since: number) => cache.renewed(name, since),
    asked,
    told,
    time,
    timers,
    source,
    pass(ms: number): void {
      time.now += ms
      timers.pass(ms)
    },
    /** The secret by which the number would be used, or why it cannot be. */
    secretOf: (name: string, isInUse = async () => false) =>
      cache.get(name, isInUse).then((found) => found?.secret ?? 'nobody', String),
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
