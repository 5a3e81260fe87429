/** STOP and START: the bot stores who wants no news. Send them with `kind: 'marketing'`, or as an announcement. */
import { routes } from 'switchhook'
import { startSending, stopSending } from 'switchhook/comfort'
import type { desk } from '../desk.ts'

export const news = routes<typeof desk>('news')

news.hears(
  ['stop', 'acha'],
  stopSending((ctx) => ctx.t.stopped),
)
// Both count also while a person has the customer; their replies are skipped then.
news.whileTakenOver((b) =>
  b
    .hears(
      ['stop', 'acha'],
      stopSending((ctx) => ctx.t.stopped),
    )
    .hears(
      ['start', 'anza'],
      startSending((ctx) => ctx.t.started),
    ),
)
news.hears(
  ['start', 'anza'],
  startSending((ctx) => ctx.t.started),
)
