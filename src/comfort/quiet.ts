import type { Duration, Routes } from '../index.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- any bot, or routes of any
type Listens = Pick<Routes<any, any>, 'on'>

/**
 * Keeps the bot from replying while a person writes to the same customer: each of the person's messages hands the
 * customer over for that long, in place of a hand-over that stood. A message counts from 30 s after it came, and where
 * no send of this bot can be it.
 *
 * It hears of them by `message.sent`, which the service only declares: where that never comes, this does nothing.
 *
 *     quietWhilePeopleWrite(bot, { for: '1h' })
 *
 * @param o.byPerson whether a payload of `message.sent` is a person's. Default: what this bot did not send, is; but so
 * are then the messages of the service's own agent, since payloads are not shown.
 */
export function quietWhilePeopleWrite(bot: Listens, o: { for: Duration; byPerson?: (json: unknown) => boolean }): void {
  bot.on('message.sent', async (ctx) => {
    if (ctx.customer === undefined || o.byPerson?.(ctx.json) === false) return
    if ((await ctx.sentBy()) === 'other') await ctx.to(ctx.customer).handOver({ for: o.for })
  })
}
