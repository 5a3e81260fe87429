import { describe, expect, it } from 'vitest'
import { optOuts } from '../../src/features/comfort/comfort.ts'
import { countedWith } from '../../src/store/customers/customer.ts'
import { happens, says, turn } from '../support/turn.ts'
import { ASHA, openWorld, type World } from '../support/virtual-world.ts'

const LIMIT = { messages: 3, every: '1m' } as const

const open = (o: Parameters<typeof openWorld>[1] = { options: { perCustomer: LIMIT } }) => {
  const alarms: string[] = []
  const world = openWorld((bot) => {
    optOuts(bot)
    bot.received('reaction', (ctx) => ctx.reply('Nice'))
    bot.otherwise((ctx) => ctx.reply(`To ${ctx.message.text}`))
    bot.observe({ alarm: ({ reason = '' }) => void alarms.push(reason) })
  }, o)
  return world.then((opened) => ({ world: opened, alarms }))
}

const parked = async (world: World) => {
  const { deliveries } = await world.store().listDeliveries({ states: ['parked'], limit: 99 })
  return deliveries.flatMap(({ items }) => items.flatMap(({ reason }) => reason ?? []))
}

describe('a customer who writes more than the limit', () => {
  it('gets no answer to the rest, which is kept, alarms once, and can be retried', async () => {
    const { world, alarms } = await open()
    await using _ = world
    for (const text of ['1', '2', '3', '4', '5', '6']) await says(world, text)
    expect(await world.replies()).toEqual(['To 1', 'To 2', 'To 3'])
    expect(await parked(world)).toEqual(
      Array.from({ length: 3 }, () => 'over_limit: more than 3 messages of this customer in 60 s'),
    )
    expect(alarms).toEqual(['over_limit'])
    const { deliveries } = await world.store().listDeliveries({ states: ['parked'], limit: 99 })
    await world.store().reingest(deliveries.map(({ seq }) => seq))
    await world.settled()
    expect((await world.replies()).map(String).toSorted()).toEqual(['To 1', 'To 2', 'To 3', 'To 4', 'To 5', 'To 6'])
  })

  it('is answered again when the span has passed, by the service’s clock, and others are not affected', async () => {
    const { world, alarms } = await open()
    await using _ = world
    for (const text of ['1', '2', '3', '4']) await says(world, text)
    await says(world, 'mine', '255712000102')
    expect(await world.replies('255712000102')).toEqual(['To mine'])
    await world.emulator.clock.advance('61s')
    for (const text of ['5', '6', '7', '8']) await says(world, text)
    expect(await world.replies()).toEqual(['To 1', 'To 2', 'To 3', 'To 5', 'To 6', 'To 7'])
    expect(alarms).toEqual(['over_limit', 'over_limit'])
  })

  it('can still say STOP, and react', async () => {
    const { world } = await open()
    await using _ = world
    for (const text of ['1', '2', '3', '4', 'STOP']) await says(world, text)
    await turn(world, () => world.emulator.customer(ASHA).acts({ signal: { kind: 'reaction', emoji: '👍' } }))
    expect(await world.bot.to(ASHA).optedOut()).toBeDefined()
    expect((await world.replies()).slice(3)).toEqual(['You are unsubscribed. Reply START to subscribe again.', 'Nice'])
  })

  it('is counted too if the payload has no time that moves the window, or its facts are read by a function', async () => {
    for (const facts of [undefined, { 'message.received': { customer: ({ who }: { who: string }) => who } }]) {
      const { world } = await open({ options: { perCustomer: LIMIT, ...(facts && { facts }) } })
      await using _ = world
      // The emulator knows that the window is open.
      await world.control('POST', `customers/${ASHA}/messages`, { text: '0' })
      await world.settled()
      for (const id of ['1', '2', '3', '4'])
        await turn(world, () =>
          happens(world, 'message.received', { id, who: ASHA, from: ASHA, message_id: id, type: 'text', text: id }),
        )
      expect((await parked(world)).filter((reason) => reason.startsWith('over_limit'))).toHaveLength(facts ? 1 : 2)
    }
  })

  it('is not limited without the option', async () => {
    const { world, alarms } = await open({})
    await using _ = world
    for (let i = 1; i <= 40; i++) await says(world, `${i}`)
    expect(await world.replies()).toHaveLength(40)
    expect(alarms).toEqual([])
  })
})

it('two bots that answer each other come to an end', async () => {
  const { world } = await open({ options: { perCustomer: { messages: 30, every: '1m' } } })
  await using _ = world
  let answered = 0
  await says(world, 'Hello, I am a bot too')
  for (let next = 1; next < 200 && (await world.replies()).length > answered; next++) {
    answered = (await world.replies()).length
    await says(world, `Thank you for "${(await world.replies()).at(-1)?.slice(-9)}"`)
  }
  expect(answered).toBe(30)
})

it('the count of a customer starts over with a message a span later, and when the clock went back', () => {
  const everyMs = 60_000
  const HELD: readonly (readonly [since: number, at: number, count: number])[] = [
    [0, 0, 3],
    [0, 1, 3],
    [0, 30_000, 3],
    [0, 59_999, 3],
    [1_000, 60_999, 3],
  ]
  const OVER: readonly (readonly [since: number, at: number])[] = [
    [0, 60_000],
    [0, 60_001],
    [1_000, 61_000],
    [0, 86_400_000],
    [60_000, 59_999],
    [60_000, 0],
  ]
  for (const [since, at, count] of HELD)
    expect(countedWith({ since, count: count - 1 }, { everyMs, at })).toEqual({ since, count })
  for (const [since, at] of OVER)
    expect(countedWith({ since, count: 9 }, { everyMs, at })).toEqual({ since: at, count: 1 })
  expect(countedWith(undefined, { everyMs, at: 7 })).toEqual({ since: 7, count: 1 })
})
