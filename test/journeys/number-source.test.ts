import { expect, it } from 'vitest'
import type { Bot } from '../../src/bot/bot.ts'
import type { NumberOptions } from '../../src/bot/numbers.ts'
import { ASHA, openWorld } from '../support/virtual-world.ts'

/** A world whose bot finds its number, called shop, in a table of tenants that a test changes. */
async function openPlatform() {
  const tenants: Record<string, NumberOptions | undefined> = {}
  const source = { find: async (name: string) => tenants[name] }
  const routes = (bot: Bot) => void bot.otherwise((ctx) => ctx.reply(`${ctx.number}: ${ctx.message.text}`))
  const world = await openWorld(routes, {
    number: 'shop',
    options: {
      numbers: { find: (name) => source.find(name), freshFor: '1m', keptFor: '2h' },
    },
  })
  const { emulator } = world
  const bringCredentials = () => {
    tenants['shop'] = { accessToken: emulator.accessToken, signingSecret: emulator.signingSecret }
  }
  bringCredentials()
  return { world, tenants, source, bringCredentials, asha: emulator.customer(ASHA) }
}

it('a tenant whose token and secret are replaced while customers write loses no message and answers none twice [R SIG-06, R AUTH-02, R DEL-03]', async () => {
  const { world: opened, tenants, bringCredentials, asha } = await openPlatform()
  await using world = opened
  await asha.says('one')
  await world.settled()

  await world.emulator.account.set({ rotate: true })
  bringCredentials()
  await asha.says('two')
  await world.settled()
  expect(await world.replies(), 'the first send behind the change goes out').toEqual(['shop: one', 'shop: two'])

  const { signingSecret: old } = world.emulator
  const url = 'http://127.0.0.1/webhooks/shop/new'
  const { secret } = await world.emulator.subscriptions.register({ url })
  tenants['shop'] = { ...tenants['shop'], signingSecret: [secret, old] }
  await asha.says('three')
  const [first] = (await world.emulator.subscriptions.list()) as unknown as { id: string }[]
  await world.control('DELETE', `subscriptions/${first?.id}`)
  tenants['shop'] = { ...tenants['shop'], signingSecret: secret }
  await asha.says('four')
  await world.settled()
  expect(await world.replies()).toEqual(['one', 'two', 'three', 'four'].map((text) => `shop: ${text}`))
})

it('a token that its tenant sets a minute late delays replies, which then go out in order [R AUTH-02, R ERR-05]', async () => {
  const { world: opened, bringCredentials, asha } = await openPlatform()
  await using world = opened
  await asha.says('one')
  await world.settled()
  await world.emulator.account.set({ rotate: true })
  for (const text of ['two', 'three']) await asha.says(text)
  await world.pass('30s')
  expect(await world.replies()).toEqual(['shop: one'])
  bringCredentials()
  await world.pass('70s')
  expect(await world.replies()).toEqual(['one', 'two', 'three'].map((text) => `shop: ${text}`))
})

it('a source that is down for hours delays deliveries after keptFor, and loses nothing [R DEL-02, R DEL-03]', async () => {
  const { world: opened, source, asha } = await openPlatform()
  await using world = opened
  const { find } = source
  await asha.says('one')
  await world.settled()
  source.find = () => Promise.reject(new Error('down'))
  await world.pass('119m')
  await asha.says('two')
  await world.settled()
  expect(await world.replies()).toEqual(['shop: one', 'shop: two'])

  await world.pass('2m')
  await asha.says('three')
  const sent = world.bot.number('shop').to(ASHA).send('ready', { key: 'ready', wait: 'stored' })
  expect(await sent).toMatchObject({ via: 'stored' })
  await world.pass('1m')
  expect(await world.replies()).toHaveLength(2)

  source.find = find
  await world.pass('2h')
  const replies = await world.replies()
  expect([replies.length, new Set(replies)]).toEqual([4, new Set(['shop: one', 'shop: two', 'ready', 'shop: three'])])
  expect((await world.counts()).items).toEqual({ done: 3 })
})

it('a send that is due while its number is removed is held, and goes out once the number is back [R ERR-05]', async () => {
  const { world: opened, tenants, bringCredentials, asha } = await openPlatform()
  await using world = opened
  await asha.says('one')
  await world.settled()
  await world.bot.number('shop').to(ASHA).send('reminder', { key: 'reminder', at: '10m' })
  delete tenants['shop']
  await world.pass('30m')
  expect(await world.replies()).toEqual(['shop: one'])
  expect(await world.store().closedThrottles(world.now())).toMatchObject([
    { number: 'shop', stopped: true, reason: expect.stringContaining('switchhook outbox resolve ID --drop') },
  ])
  bringCredentials()
  await world.pass('2m')
  expect(await world.replies()).toEqual(['shop: one', 'reminder'])
})

it('a process that starts after a crash queries its numbers again, and continues [R DEL-01]', async () => {
  const { world: opened, asha } = await openPlatform()
  await using world = opened
  await asha.says('one')
  await world.settled()
  await world.crash((bot) => void bot.otherwise((ctx) => ctx.reply(`after: ${ctx.message.text}`)))
  await asha.says('two')
  await world.settled()
  expect(await world.replies()).toEqual(['shop: one', 'after: two'])
})
