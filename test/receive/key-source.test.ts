import { describe, expect, it } from 'vitest'
import { createKeySource, type SecretSource } from '../../src/receive/key-source.ts'

const names = async (sources: readonly SecretSource[]) =>
  (await createKeySource(sources, () => 0).live()).keys.map(({ subscription }) => subscription)

describe('where signing secrets come from', () => {
  it('R SIG-06 gives each number a subscription of its own, with several live secrets', async () => {
    expect(
      await names([
        { number: 'a', secrets: ['new', 'old'] },
        { number: 'b', secrets: 'other' },
      ]),
    ).toEqual(['a', 'a', 'b'])
  })

  it('R SIG-06 joins the names of numbers that share a secret', async () => {
    expect(
      await names([
        { number: 'b', secrets: 'shared' },
        { number: 'a', secrets: ['shared', 'own'] },
      ]),
    ).toEqual(['a+b', 'a'])
  })

  it('asks a function once, and again at a wrong signature, at most every 30 s', async () => {
    let now = 1_000_000
    let asked = 0
    const source = createKeySource([{ number: 'a', secrets: () => `secret ${++asked}` }], () => now)
    const first = await source.live()
    expect(await source.live()).toBe(first)
    now += 29_999
    expect(await source.renewed(now)).toBeUndefined()
    now += 1
    expect(await source.renewed(now)).not.toBe(first)
    expect(asked).toBe(2)
  })

  it('asks nobody where the secrets are given', async () => {
    const source = createKeySource([{ number: 'a', secrets: 'x' }], () => 0)
    expect(await source.renewed(1e9)).toBeUndefined()
  })

  it('rejects while a function cannot answer, asks again a second later, and shows nothing of what it said', async () => {
    let now = 0
    let broken = true
    const secrets = () => {
      if (broken) throw new Error('vault token hvs.canary')
      return 'secret'
    }
    const source = createKeySource([{ number: 'a', secrets }], () => now)
    const failure = await source.live().catch((error: Error) => error)
    expect(String(failure)).not.toContain('canary')
    broken = false
    await expect(source.live()).rejects.toBe(failure)
    now += 1_000
    expect((await source.live()).keys).toHaveLength(1)
  })

  it('keeps what it knows where a function fails later', async () => {
    let now = 0
    let answers = 1
    const secrets = async () => {
      if (answers-- <= 0) throw new Error('down')
      return 'secret'
    }
    const source = createKeySource([{ number: 'a', secrets }], () => now)
    const first = await source.live()
    now += 60_000
    expect(await source.renewed(now)).toBeUndefined()
    expect(await source.live()).toBe(first)
  })

  it('asks once for all who wait at the same time', async () => {
    let asked = 0
    const source = createKeySource([{ number: 'a', secrets: async () => `${++asked}` }], () => 0)
    await Promise.all([source.live(), source.live(), source.live()])
    expect(asked).toBe(1)
  })
})
