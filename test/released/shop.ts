import { z } from 'zod'
import { type Bot, type BotOptions, buttons, GiveUp, type Sender } from '../../src/index.ts'

/** A customer for each state in which the process left one. */
export const PEOPLE = {
  /** Was asked the second question of a conversation. */
  asked: '255712000101',
  /** A person has her. */
  handedOver: '255712000102',
  /** Has a reply of which the bot does not know. */
  unanswered: '255712000103',
  /** Waits for a reply that the closed number holds. */
  held: '255712000104',
  /** Was forgotten while a reply to them was under way. */
  forgotten: '255712000105',
  /** Has a dead letter, and a message that lies parked. */
  failed: '255712000106',
} as const

/** The same bot in every release: what it leaves behind is what the next one has to go on with. */
export const OPTIONS: BotOptions = {
  session: z.object({ count: z.number().default(0) }),
  facts: { 'order.paid': { customer: 'data.payer.tel', orderId: (json) => json.data.order.id } },
}

// oxlint-disable-next-line typescript/no-explicit-any -- the session of a bot without types
const sessionOf = (ctx: { session: unknown }) => ctx.session as any

export function shop(bot: Bot & Sender): void {
  const booking = bot.conversation('booking', { version: 1, timeout: '4h' }, async (chat) => {
    const day = await chat.ask('Which day?')
    const place = await chat.once('place', () => 7)
    const by = await chat.ask(buttons('How do you pay?', [{ id: 'cash', title: 'Cash' }]))
    await chat.say(`${day}, place ${place}, ${by}`)
  })
  bot.hears('book', (ctx) => ctx.enter(booking))
  bot.hears('count', (ctx) => ctx.reply(`message ${++sessionOf(ctx).count}`))
  bot.hears('ticket', async (ctx) => ctx.reply(`ticket ${await ctx.once('ticket', () => 4711)}`))
  bot.hears('person', (ctx) => ctx.handOver({ for: '4m' }))
  bot.hears('fail', () => {
    throw new GiveUp('nothing could be done')
  })
  bot.tapped('track', (ctx) => ctx.reply('On its way'))
  bot.on('message.status:delivered', () => {})
  bot.on('order.paid', (ctx) => ctx.to(String(ctx.need('customer'))).send('Paid', {}))
  bot.otherwise((ctx) => ctx.reply(buttons('How can we help?', [{ id: 'track', title: 'Track order' }])))
}
