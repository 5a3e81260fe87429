import { describe, expect, it } from 'vitest'
import { template } from '../../src/bot/switchhook.ts'
import { ASHA, JUMA, openWorld } from '../support/virtual-world.ts'

const PICKUP = { name: 'pickup_reminder', language: 'sw', body: 'Oda {{1}} inasubiri' }

describe('a notification of an order', () => {
  it('resolves as soon as it is on disk with wait: stored, and goes out automatically', async () => {
    await using world = await openWorld((bot) => bot.otherwise(() => {}))
    await world.emulator.customer(ASHA).says('habari')
    await world.settled()
    const result = await world.bot.to(ASHA).send('ready', { key: 'k', wait: 'stored' })
    expect(result).toMatchObject({ via: 'stored', send: { state: 'attempting', status: undefined } })
    await world.until(async () => (await world.replies()).length === 1)
  })

  it('reports once that it was delivered, with the app’s own reference, whatever the order of statuses', async () => {
    const delivered: (string | undefined)[] = []
    await using world = await openWorld((bot) => {
      bot.otherwise(() => {})
      bot.on('message.status:delivered', (ctx) => void delivered.push(ctx.sent?.ref))
    })
    await world.emulator.customer(ASHA).says('habari')
    await world.settled()
    await world.bot.to(ASHA).send('ready', { key: 'k', ref: '7781' })
    await world.until(() => delivered.length === 1)
    for (const { id } of await statuses(world))
      await world.control('POST', `deliveries/${id}/redeliver`, { deliveryId: fresh() })
    await world.settled()
    expect(delivered).toEqual(['7781'])
  })
})

it('the log of a send names the delivery that it answers, or the app’s key, without the customer’s number [F-87]', async () => {
  await using world = await openWorld((bot) =>
    bot.otherwise(async (ctx) => {
      await ctx.reply('habari')
      await ctx.to(JUMA).send('news', { wait: 'stored' })
    }),
  )
  const { deliveryIds } = await world.emulator.customer(ASHA).says('habari')
  await world.settled()
  await expect(world.bot.to(JUMA).send('ready', { key: ['order', JUMA, 7] })).rejects.toThrow('window')
  const about = world.lines.filter(({ about }) => 'send' in (about as object)).map(({ about }) => about)
  expect(about).toEqual([
    expect.objectContaining({ delivery: deliveryIds[0], via: 'freeform' }),
    expect.objectContaining({ delivery: deliveryIds[0], code: 'outside_messaging_window' }),
    expect.objectContaining({ key: '["order","…102","7"]', code: 'outside_messaging_window' }),
  ])
})

it('a send to each of several people is one message, in whatever order a rerun sends them [B IDEM-01]', async () => {
  await using world = await openWorld((bot) => {
    bot.hears('tell', async (ctx) => {
      for (const customer of ctx.attempt === 1 ? [ASHA, JUMA] : [JUMA, ASHA]) await ctx.to(customer).send('news', {})
      if (ctx.attempt === 1) throw new Error('after both')
    })
    bot.otherwise(() => {})
  })
  await world.emulator.customer(JUMA).says('opens the window')
  await world.emulator.customer(ASHA).says('tell')
  await world.until(async () => (await world.counts()).items['done'] === 2)
  expect([await world.replies(ASHA), await world.replies(JUMA)]).toEqual([['news'], ['news']])
})

it('a reminder is cancelled by its key, and the key is free again', async () => {
  await using world = await openWorld((bot) => bot.otherwise(() => {}))
  await world.control('POST', 'templates', PICKUP)
  const at = new Date(world.now() + 24 * 3_600_000)
  const reminder = template('pickup_reminder', 'sw', { body: ['7781'] })
  await world.bot.to(ASHA).send(reminder, { key: ['pickup', 7781], at })
  expect(await world.bot.cancel(['pickup', 7781])).toBe(true)
  expect(await world.bot.cancel(['pickup', 7781])).toBe(false)
  expect(await world.bot.cancel('nothing')).toBe(false)
  await world.pass('25h')
  expect(await world.replies()).toEqual([])
  expect(await world.bot.to(ASHA).send(reminder, { key: ['pickup', 7781] })).toMatchObject({ via: 'template' })
})

it('a backlog is recorded and not answered after staleAfter', async () => {
  const results: unknown[] = []
  await using world = await openWorld(
    (bot) =>
      bot.otherwise(async (ctx) => {
        if (ctx.customer !== ASHA) return
        if (ctx.attempt === 1) {
          await world.emulator.clock.advance('13h')
          await tellTheTime(world)
          throw new Error('down for the night')
        }
        results.push(await ctx.reply('good evening'))
      }),
    { options: { staleAfter: '12h' } },
  )
  await world.emulator.customer(ASHA).says('are you open?')
  await world.until(() => results.length === 1)
  expect(results).toEqual([{ via: 'skipped', why: 'stale' }])
  expect(await world.replies()).toEqual([])
  expect((await world.counts()).sends).toMatchObject({ skipped: 1 })
})

it('a stopped queue continues automatically when the token changes, with all waiting sends [B ERR-05, B AUTH-02, F-72]', async () => {
  let token = 'worn-out-token-of-the-number'
  await using world = await openWorld((bot) => bot.otherwise((ctx) => ctx.reply('hi')), {
    options: { accessToken: () => token },
  })
  await world.emulator.customer(ASHA).says('one')
  await world.until(async () => (await world.counts()).sends['held'] === 1)
  await world.emulator.customer(JUMA).says('two')
  await world.until(async () => (await world.counts()).sends['held'] === 2)
  expect(world.lines.filter(({ message }) => message?.startsWith('send held'))).toHaveLength(1)
  token = world.emulator.accessToken
  await world.pass('2m')
  expect((await world.counts()).sends).toMatchObject({ accepted: 2 })
  expect([await world.replies(ASHA), await world.replies(JUMA)]).toEqual([['hi'], ['hi']])
})

type World = Awaited<ReturnType<typeof openWorld>>

let made = 0
const fresh = () => `01J${String(++made).padStart(23, 'Z')}`

async function statuses(world: World): Promise<{ id: string }[]> {
  const { items } = (await world.control('GET', 'deliveries')) as { items: { id: string; event: string }[] }
  return items.filter(({ event }) => event === 'message.status')
}

/** By another customer's message the bot learns the time. */
async function tellTheTime(world: World): Promise<void> {
  await world.emulator.customer('255712000199').says('hi')
}
