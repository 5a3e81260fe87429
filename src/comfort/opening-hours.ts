import type { Env, MessageContext, Next } from '../index.ts'
import { contentOf, type Told } from './told.ts'
import { openAt, type OpeningHours } from './week.ts'

/**
 * A middleware that answers by itself while it is closed; what stands behind it runs while it is open.
 *
 *     bot.use(openingHours({ zone: 'Africa/Dar_es_Salaam', mon: '9:00-17:00', sat: '9:00-13:00' }, 'We are closed.'))
 *
 * The time is the service's, at the message's first run: kept with the delivery, so that a rerun after the doors have
 * opened does not answer a second time.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function openingHours<C extends MessageContext<Env>>(
  hours: OpeningHours,
  closed: Told<C>,
): (ctx: C, next: Next) => Promise<void> {
  const isOpen = openAt(hours)
  return async (ctx, next) => {
    if (await ctx.once('open', () => isOpen(ctx.now()))) return next()
    await ctx.reply(await contentOf(closed, ctx))
  }
}
