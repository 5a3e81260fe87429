import { assemble, type Bot, type Sender } from '../../src/bot/bot.ts'
import type { TestOverrides } from '../../src/bot/lifecycle.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { openWorld, type World } from './world.ts'

export interface Roles extends AsyncDisposable {
  /** Its bot is the receiver. */
  readonly world: World
  /** The names of the operations that the receiver asked of its store. */
  readonly asked: ReadonlySet<string>
  /** Starts a worker over the same database. */
  work(overrides?: TestOverrides): Promise<void>
}

/** A receiver, and workers beside it, over a file. */
export async function openRoles(routes: (bot: Bot & Sender, role: 'receive' | 'work') => void): Promise<Roles> {
  const asked = new Set<string>()
  const open = (file: string): Store => noting(openSqlite(file), asked)
  const world = await openWorld((bot) => routes(bot, 'receive'), {
    internals: { environment: { SWITCHHOOK_ROLE: 'receive' }, open },
  })
  const workers: Bot[] = []
  return {
    world,
    asked,
    async work(overrides = {}) {
      const { url: baseUrl, accessToken, signingSecret } = world.emulator
      const bot = assemble(
        { baseUrl, accessToken, signingSecret, database: world.database, logger: false },
        { random: () => 0, environment: {}, ...overrides },
      )
      routes(bot, 'work')
      workers.push(bot)
      await bot.start({ role: 'work' })
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((bot) => bot.stop({ drain: 0 })))
      await world[Symbol.asyncDispose]()
    },
  }
}

function noting(store: Store, asked: Set<string>): Store {
  const note = (name: string, run: (...given: unknown[]) => unknown) => {
    return (...given: unknown[]) => {
      asked.add(name)
      return run(...given)
    }
  }
  const noted = Object.entries(store).map(([name, it]) => [name, typeof it === 'function' ? note(name, it) : it])
  return Object.fromEntries(noted) as Store
}
