import { silent } from '../base/log.ts'
import type { TestOverrides, Lifecycle } from '../app/lifecycle.ts'
import type { BotOptions } from '../app/options.ts'
import type { Answer } from '../receive/answers.ts'
import type { Incoming } from '../receive/receive.ts'
import type { Hooks } from '../report/index.ts'
import type { Store } from '../stores/port/index.ts'
import type { Activity } from './activity.ts'
import { createInHand, type InHand } from './in-hand.ts'
import type { MemoryDatabase } from './memory.ts'
import type { Service } from './service.ts'
import type { OwnTimers, VirtualTime } from './time.ts'
import { watchStore } from './watched-store.ts'

/** The bot between a start and its end, as a process has it. */
export interface BotLife {
  readonly timers: OwnTimers
  readonly inHand: InHand
  /** The database as it is, past what is counted; undefined where the bot is stopped. */
  store(): Store | undefined
  /** Undefined where the bot is stopped, or dies over it. */
  receive(incoming: Incoming): Promise<Answer | undefined>
  /** The process dies without a word: nothing that it does reaches database or service any more. */
  end(): void
}

export interface LifeParts {
  readonly life: Lifecycle
  readonly database: MemoryDatabase
  readonly service: Service
  readonly time: VirtualTime
  readonly activity: Activity
  readonly hooks: Hooks
}

/** Between the ends of what jitter can be, and the same each time. */
const HALF = 0.5

export async function begin(parts: LifeParts): Promise<BotLife> {
  const { life, database, time, activity } = parts
  const timers = time.timers()
  const inHand = createInHand()
  const death = Promise.withResolvers<undefined>()
  let alive = true
  let opened: Store | undefined

  const internals: TestOverrides = {
    timers,
    random: () => HALF,
    environment: {},
    open() {
      opened = database.open()
      return watchStore(opened, { activity, inHand, alive: () => alive })
    },
    options: (given) => changed(given, parts),
    ...(life.options.logger === undefined && { log: silent }),
    hooks: parts.hooks,
  }
  life.takeOver(internals)
  const end = () => {
    alive = false
    timers.end()
    inHand.forget()
    life.abandon()
    void opened?.close()
    death.resolve(undefined)
  }
  try {
    await life.start()
  } catch (error) {
    end()
    throw error
  }
  return {
    timers,
    inHand,
    store: () => (life.running() ? opened : undefined),
    receive: (incoming) =>
      Promise.race([life.running()?.receive(incoming) ?? Promise.resolve(undefined), death.promise]),
    end,
  }
}

/** The bot's own options, but for what ties it to a place: its service, credentials, database, clock and recipients. */
function changed(given: BotOptions, { service, time }: LifeParts): BotOptions {
  const { allowedRecipients: _, accessToken: _token, signingSecret: _secret, phoneNumberId: _id, ...rest } = given
  const numbers = Object.fromEntries(service.lines.map((line) => [line.number, line.options]))
  return {
    ...rest,
    ...(given.numbers ? { numbers } : numbers['default']),
    baseUrl: 'http://127.0.0.1',
    database: ':memory:',
    clock: () => new Date(time.now()),
    fetch: service.fetch,
  }
}
