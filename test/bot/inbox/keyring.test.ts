import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createKeySource, type SecretSource } from '../../../src/bot/inbox/signature.ts'

const names = async (sources: readonly SecretSource[]) =>
  (await createKeySource(sources, () => 0).all.live()).keys.map(({ subscription }) => subscription)

describe('the source of signing secrets', () => {
  it('gives the endpoint of a number its own secrets alone, of thousands: so a forgery there costs one check [F-109]', async () => {
    const shops = Array.from({ length: 2_000 }, (_, shop) => ({ number: `shop-${shop}`, secrets: `whsec_${shop}` }))
    const keys = createKeySource(shops, () => 0)
    expect((await keys.all.live()).keys).toHaveLength(2_000)
    expect((await (await keys.at('shop-1234'))?.live())?.keys).toMatchObject([{ subscription: 'shop-1234' }])
  })

  it('names a subscription after its number, or the numbers that share its secret [R SIG-06]', async () => {
    const shared = [
      { number: 'b', secrets: ['shared', 'old'] },
      { number: 'a', secrets: ['shared', 'own'] },
    ]
    expect(await names(shared)).toEqual(['a+b', 'b', 'a'])
  })

  it('calls a function once, and again at a wrong signature, at most every 30 s', async () => {
    let now = 1_000_000
    let asked = 0
    const { all: source } = createKeySource([{ number: 'a', secrets: () => `secret ${++asked}` }], () => now)
    const first = await source.live()
    expect(await source.live()).toBe(first)
    now += 29_999
    expect(await source.renewed(now)).toBeUndefined()
    now += 1
    expect(await source.renewed(now)).not.toBe(first)
    expect(asked).toBe(2)
  })

  it('rejects while a function fails, calls it again a second later, and shows nothing of its error', async () => {
    let now = 0
    let broken = true
    const secrets = () => {
      if (broken) throw new Error('vault token hvs.canary')
      return 'secret'
    }
    const { all: source } = createKeySource([{ number: 'a', secrets }], () => now)
    const failure: unknown = await source.live().catch((error: unknown) => error)
    expect(inspect(failure)).not.toContain('canary')
    broken = false
    await expect(source.live()).rejects.toBe(failure)
    now += 1_000
    expect((await source.live()).keys).toHaveLength(1)
  })
})

it('counts a function that does not answer within five seconds as failed', async () => {
  let pass = () => {}
  const timers = { after: (_ms: number, run: () => void) => ((pass = run), () => {}) }
  const { all: source } = createKeySource(
    [{ number: 'a', secrets: () => new Promise<string>(() => {}) }],
    () => 0,
    timers,
  )
  const live = source.live()
  pass()
  await expect(live).rejects.toThrow('TimeoutError')
})

it('keeps the secrets of a number whose function fails later, while another number’s are renewed [R SIG-06]', async () => {
  let asked = 0
  const { all: source } = createKeySource(
    [
      {
        number: 'a',
        secrets() {
          if (asked > 0) throw new Error('down')
          return 'a'
        },
      },
      { number: 'b', secrets: async () => `b ${++asked}` },
    ],
    () => 0,
  )
  await source.live()
  const renewed = await source.renewed(60_000)
  expect(renewed?.keys.map(({ subscription }) => subscription)).toEqual(['a', 'b'])
})
