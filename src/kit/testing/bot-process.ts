import type { BotLifecycle, TestOverrides } from '../../bot/lifecycle.ts'
import type { BotOptions } from '../../bot/options.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { silent } from '../../base/log.ts'
import type { Answer, Incoming } from '../../bot/inbox/http.ts'
import type { Hooks } from '../../bot/report/observers.ts'
import type { Store } from '../../store/store.ts'
import { openConnection } from '../../store/sqlite/connection.ts'
import { openSqlite } from '../../store/sqlite/sqlite-store.ts'
import { END_ALL_LEASES } from '../../store/database/inbox-tables.ts'
import type { Activity } from './activity.ts'
import { InFlight } from './in-flight.ts'
import type { VirtualTime } from './virtual-time.ts'

export type BotProcess = Awaited<ReturnType<typeof startProcess>>

export interface ProcessDeps {
  readonly life: BotLifecycle
  readonly database: MemoryDatabase
  readonly time: VirtualTime
  readonly activity: Activity
  readonly options: (given: BotOptions) => BotOptions
  readonly during?: <T>(call: Promise<T>) => Promise<T>
  readonly hooks?: Hooks
}

/** The same jitter for each back-off: the middle of its range. */
const HALF = 0.5

export async function startProcess(deps: ProcessDeps) {
  const { life, database, time, activity } = deps
  const timers = time.timers()
  const inFlight = new InFlight(() => life.running()?.outbox.outside() ?? 0)
  const death = Promise.withResolvers<undefined>()
  let alive = true
  let opened: Store | undefined

  const overrides: TestOverrides = {
    timers,
    random: () => HALF,
    environment: {},
    async open() {
      opened = await database.open()
      return watchStore(opened, { activity, inFlight, alive: () => alive })
    },
    options: deps.options,
    ...(deps.during && { during: deps.during }),
    ...(life.options.logger === undefined && { log: silent }),
    ...(deps.hooks && { hooks: deps.hooks }),
  }
  life.override(overrides)
  const kill = () => {
    alive = false
    timers.end()
    inFlight.clear()
    life.abandon()
    void opened?.close()
    death.resolve(undefined)
  }
  try {
    await life.start()
  } catch (error) {
    kill()
    throw error
  }
  return {
    timers,
    inFlight,
    /** The store itself: its operations do not count as activity. Undefined if the bot is stopped. */
    store: () => (life.running() ? opened : undefined),
    /** Undefined if the bot is stopped, or if the process dies before it answers. */
    receive: (incoming: Incoming): Promise<Answer | undefined> =>
      Promise.race([life.running()?.receiver.receive(incoming) ?? Promise.resolve(undefined), death.promise]),
    /** After this call, nothing that the process still does reaches the database or the service. */
    kill,
  }
}

/** The bot of a scenario, with its database. After a crash it has another process. */
export class TestedBot {
  readonly #deps: Omit<ProcessDeps, 'database' | 'during'>
  readonly #database = createMemoryDatabase()
  /** The `reject` of each pending call of `bot.to()`, including those of a killed process. */
  readonly #underWay = new Set<(error: Error) => void>()
  /** Undefined before the start and after the end. */
  process: BotProcess | undefined
  /** Set while a process starts after a crash. Wait for it before you kill the process: a start cannot be stopped. */
  #crashing: Promise<void> | undefined

  constructor(deps: Omit<ProcessDeps, 'database' | 'during'>) {
    this.#deps = deps
  }

  async start(): Promise<void> {
    this.process = await startProcess({
      ...this.#deps,
      database: this.#database,
      during: (call) => this.#during(call),
    })
  }

  crash(): Promise<void> {
    if (this.#crashing) return this.#crashing
    this.process?.kill()
    // Counted as activity, so that the scenario is not idle meanwhile.
    this.#crashing = this.#deps.activity.during(this.start()).finally(() => (this.#crashing = undefined))
    return this.#crashing
  }

  /** Resolves with false if the bot had ended already. */
  async end(): Promise<boolean> {
    await this.#crashing?.catch(() => {})
    const ending = this.process
    ending?.kill()
    this.process = undefined
    for (const reject of this.#underWay)
      reject(
        new SwitchhookError('not_started', 'the scenario was closed before this call of bot.to() had ended: await it'),
      )
    return ending !== undefined
  }

  closeDatabase(): void {
    this.#database.close()
  }

  #during<T>(call: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#underWay.add(reject)
      const ended = () => void this.#underWay.delete(reject)
      call.finally(ended).then(resolve, reject)
    })
  }
}

export type MemoryDatabase = ReturnType<typeof createMemoryDatabase>

/** A database in memory that outlives the processes that open it. */
export function createMemoryDatabase(connection = openConnection(':memory:')) {
  const shared = { ...connection, close: () => {} }
  return {
    /** Opens the database as its only user: the process that held it before is gone. */
    open(): Store | Promise<Store> {
      const store = openSqlite(':memory:', { connect: () => shared })
      connection.raw.exec(END_ALL_LEASES)
      return store
    },
    close: () => connection.close(),
  }
}

/** Stays pending: a dead process gets no answer. */
const NEVER = new Promise<never>(() => {})

/**
 * The store of one process. Each operation counts as activity. `inFlight` learns which items and sends begin and end.
 * After the process has died, no operation reaches the database.
 */
function watchStore(store: Store, deps: { activity: Activity; inFlight: InFlight; alive: () => boolean }): Store {
  const { activity, inFlight, alive } = deps

  const counted = new Proxy(store, {
    get(target, name: keyof Store) {
      const member: unknown = target[name]
      if (typeof member !== 'function' || name === 'onWork' || name === 'clock' || name === 'timeOfDay') return member
      return (...given: unknown[]) => {
        if (!alive()) return NEVER
        const answer = activity.during(member.apply(target, given) as Promise<unknown>)
        return answer.then(
          (value) => (alive() ? value : NEVER),
          (error: unknown) => (alive() ? Promise.reject(error) : NEVER),
        )
      }
    },
  })

  return {
    ...counted,
    onWork: (listener) => store.onWork((work) => void (alive() && listener(work))),
    accept: (delivery, o) =>
      noting(counted.accept(delivery, o), ({ started }) => started && inFlight.itemBegun(started.fence, started.work)),
    claimItems: (claim) => noting(counted.claimItems(claim), (claimed) => inFlight.itemsClaimed(claimed)),
    settleItem: (fence, id, settlement, then) =>
      noting(counted.settleItem(fence, id, settlement, then), ({ next }) =>
        inFlight.itemSettled(fence, { id, settlement, at: then.now, next: next?.work }),
      ),
    sentEventSince: (who) =>
      noting(counted.sentEventSince(who), (since) => inFlight.sentEventAwaited(who, since !== undefined)),
    claimSends: (claim) => noting(counted.claimSends(claim), (claimed) => inFlight.sendsClaimed(claimed)),
    async beginSend(fence, ...rest) {
      const begun = await counted.beginSend(fence, ...rest)
      if (!begun) inFlight.sendLaneFreed(fence)
      return begun
    },
    async settleSend(fence, send, settlement, ...rest) {
      const settled = await counted.settleSend(fence, send, settlement, ...rest)
      inFlight.sendSettled(send, settlement)
      if (settled.next === undefined) inFlight.sendLaneFreed(fence)
      return settled
    },
    openSend: (send, o) =>
      noting(counted.openSend(send, o), (opened) => {
        for (const recorded of opened ? [opened.send, ...opened.later] : []) inFlight.sendRecorded(recorded, o?.fence)
        if (opened?.begun) inFlight.sendBegun(opened.begun.fence)
      }),
  }
}

async function noting<T>(operation: Promise<T>, note: (result: T) => unknown): Promise<T> {
  const result = await operation
  note(result)
  return result
}
