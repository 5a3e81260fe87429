import { onTestFinished } from 'vitest'
import { assemble, type Bot } from '../../../src/bot/bot.ts'
import type { TestOverrides } from '../../../src/bot/lifecycle.ts'
import type { BotOptions } from '../../../src/bot/options.ts'
import { internalsOf } from '../../../src/bot/bot-internals.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { recordedLog } from './log.ts'
import { headersOf, MESSAGE, NOW, SECRET, type SentHeaders } from './signing.ts'

/** A bot over the real store in memory. It reads nothing of this machine's environment. */
export function botOn(
  o: {
    options?: BotOptions
    overrides?: TestOverrides
    around?: (store: Store) => Store
    /** Registers routes before the start. */
    routes?: (bot: Bot) => unknown
  } = {},
) {
  const recorded = recordedLog()
  const time = { now: NOW }
  const watched = watchedStore(o.around)
  const bot = assemble(
    {
      ...(!o.options?.numbers && { signingSecret: SECRET }),
      database: ':memory:',
      logger: recorded.log,
      clock: () => new Date(time.now),
      ...o.options,
    },
    { environment: {}, open: watched.open, ...o.overrides },
  )
  o.routes?.(bot)
  onTestFinished(() => bot.stop({ drain: 0 }))
  /** Delivers a body as the service does, or with other headers. */
  const post = (body: Uint8Array = MESSAGE, headers: SentHeaders = headersOf(body)) =>
    internalsOf(bot).receive({ method: 'POST', headers, readBody: async () => ({ bytes: body }) })
  return { bot, post, ...recorded, time, ...watched }
}

/** Wraps the store so that a test can wait until a write has brought rows into a state. */
function watchedStore(around: (store: Store) => Store = (store) => store) {
  let store: Store | undefined
  let open = false
  const watchers = new Set<() => void>()
  const changed = <A extends unknown[], R>(write: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      const result = await write(...args)
      for (const look of watchers) look()
      return result
    }
  }
  const counts = async () => (store as Store).counts()
  return {
    counts,
    isOpen: () => open,
    open(file: string): Store {
      const inner = openSqlite(file)
      store = inner
      open = true
      return around({
        ...inner,
        accept: changed(inner.accept),
        ingest: changed(inner.ingest),
        settleItem: changed(inner.settleItem),
        close() {
          open = false
          return inner.close()
        },
      })
    },
    /** Resolves when this many deliveries, or items, are in that state. */
    async until(table: 'deliveries' | 'items', state: string, count: number): Promise<void> {
      let look = () => {}
      await new Promise<void>((resolve, reject) => {
        look = () => {
          counts().then((all) => {
            if ((all[table][state] ?? 0) >= count) resolve()
          }, reject)
        }
        watchers.add(look)
        look()
      })
      watchers.delete(look)
    },
  }
}
