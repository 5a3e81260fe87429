import { describe, expect, it } from 'vitest'
import { cacheOf, heldSource, MINUTE, rest, shown } from './cache-of.ts'

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

  it('that was removed is unknown after the next lookup, and back when it is added again', async () => {
    const tenants: Record<string, { secret: string }> = { shop: { secret: 's' } }
    const { secretOf, pass } = cacheOf(tenants)
    await secretOf('shop')
    delete tenants['shop']
    pass(MINUTE)
    expect(await secretOf('shop')).toBe('s')
    await rest()
    expect(await secretOf('shop')).toBe('nobody')
    tenants['shop'] = { secret: 'again' }
    pass(9_999)
    expect(await secretOf('shop')).toBe('nobody')
    pass(1)
    expect(await secretOf('shop')).toBe('again')
  })
})

describe('a source that is slow', () => {
  it('has failed after five seconds', async () => {
    const on = cacheOf({})
    on.source.find = heldSource().find
    const first = on.secretOf('shop')
    await rest()
    on.pass(5_000)
    expect(await first).toBe(
      'NumberUnavailable: number "shop" is not known now: numbers.find() gave no answer within 5 s',
    )
  })
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

  it('is not looked up again if it was since the doubt arose', async () => {
    const { get, renewed, asked, pass, time } = cacheOf({ shop: { secret: 's' } })
    const since = time.now
    pass(1)
    await get('shop')
    expect(await renewed('shop', { since, atMostEvery: 30_000 })).toEqual({ secret: 's' })
    expect(asked).toHaveLength(1)
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

describe('a source that fails', () => {
  it('is reported once a minute, with the number of its failures, whatever fails', async () => {
    const { secretOf, told, pass, source } = cacheOf({})
    source.find = down
    for (let second = 0; second < 120; second++) {
      await Promise.all(['a', 'b'].map(secretOf))
      pass(1_000)
    }
    expect(told).toEqual(['a: numbers.find() failed with Error (1)', 'a: numbers.find() failed with Error (120)'])
  })

  it('shows nothing of its error’s message, nor of its answer', async () => {
    const { get, told, source } = cacheOf({})
    source.find = () => Promise.reject(new TypeError('postgres://bot:canary@db: refused', { cause: 'canary' }))
    const failure = await get('shop').catch((error: unknown) => error)
    source.find = async () => ({ secret: ['canary'] })
    const invalid = await get('other').catch((error: unknown) => error)
    expect(shown([failure, invalid, told])).not.toContain('canary')
    expect(shown(failure)).toContain('TypeError')
    expect(shown(invalid)).toContain('secret: expected some text')
  })

  it('is queried again for an unknown name after a second, and not before', async () => {
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
