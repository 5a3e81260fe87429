/** STOP and START: the bot stores who wants no news. Send them with `kind: 'marketing'`, or as an announcement. */
import { routes } from 'switchhook'
import { startSending, stopSending } from 'switchhook/comfort'
import type { desk } from '../desk.ts'

export const news = routes<typeof desk>('news')

news.hears(
  ['stop', 'acha'],
  stopSending((ctx) => ctx.t.stopped),
)
// It counts also while a person has the customer.
news.whileTakenOver((b) =>
  b.hears(
    ['stop', 'acha'],
    stopSending((ctx) => ctx.t.stopped),
  ),
)
news.hears(
  ['start', 'anza'],
  startSending((ctx) => ctx.t.started),
)
