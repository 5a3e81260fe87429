import { join } from 'node:path'
import type express from 'express'
import { adminPage, type AdminOptions } from '../../../src/admin/admin.ts'
import { webhook } from '../../../src/bot/inbox/adapters/express.ts'
import { buttons, createBot, text } from '../../../src/bot/switchhook.ts'
import { openHost } from './host.ts'

/** The customers of the shop; the first one is never to be seen unless she is revealed. */
export const CUSTOMERS = ['255719876543', '255712000102', '255713000103'] as const
/** A text of the first customer. */
export const SECRET_TEXT = 'price of mpenzi'

type Options = Omit<AdminOptions<express.Request>, 'authorize'> & Partial<AdminOptions<express.Request>>

/**
 * A shop whose bot has handled messages, has a dead one, an unknown send and a scheduled one, beside its admin page.
 * `mount` puts the page into the app: by default at `/admin`.
 */
export async function openShop(
  o: Options & {
    readonly mount?: (app: express.Express, page: ReturnType<typeof adminPage>) => void
    readonly database?: string
  } = {},
) {
  const { mount = (app, page) => app.use('/admin', page), database, ...options } = o
  const host = await openHost()
  const { folder, emulator, app, replies } = host
  const bot = createBot({
    baseUrl: emulator.url,
    accessToken: emulator.accessToken,
    signingSecret: emulator.signingSecret,
    database: database ?? join(folder, 'shop.db'),
    attempts: { max: 1 },
    onUnknown: 'hold',
    logger: false,
  })
  bot.hears('hours', (ctx) => ctx.reply('We are open 9 to 17, Monday to Saturday.'))
  let isBroken = true
  bot.hears(/^price/, (ctx) => {
    if (isBroken) throw new Error('the price list did not answer')
    return ctx.reply('It costs 5,000.')
  })
  bot.hears('remind', async (ctx) => {
    await bot
      .to(ctx.customer)
      .send(text('Your order is ready.'), { key: `remind ${ctx.event.deliveryId}`, at: '2h', ref: 'order 17' })
  })
  const booking = bot.conversation('booking', { version: 1, timeout: '3d' }, async (chat) => {
    await chat.ask('Which day?')
  })
  bot.hears('book', (ctx) => ctx.enter(booking))
  bot.otherwise((ctx) => ctx.reply(buttons('Welcome. How can we help?', [{ id: 'hours', title: 'Opening hours' }])))
  app.use('/webhooks', webhook(bot))
  const page = adminPage(bot, {
    authorize: () => 'neema@shop.example',
    reveal: true,
    ...options,
  } as AdminOptions<express.Request>)
  mount(app, page)
  await bot.start()
  return {
    url: await host.listen(),
    bot,
    emulator,
    /** Prices are known from now on, or fail again. */
    fix: () => void (isBroken = false),
    fail: () => void (isBroken = true),
    replies,
    async [Symbol.asyncDispose]() {
      await bot.stop()
      await host.close()
    },
  }
}
