import { buttons } from '../../../../src/bot/switchhook.ts'
import type { openWorld } from '../../../support/world.ts'

type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

/** The bot whose conversations are recorded. */
export function shop(bot: Pick<BotOf, 'tapped' | 'hears' | 'otherwise'>): void {
  bot.tapped('track', (ctx) => ctx.reply('On its way'))
  bot.hears('hours', (ctx) => ctx.reply('9 to 17'))
  bot.otherwise((ctx) => ctx.reply(buttons('How can we help?', [{ id: 'track', title: 'Track order' }])))
}
