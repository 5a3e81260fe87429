import { createHmac, randomBytes } from 'node:crypto'
import { ulid } from 'ulid'
import type { Clock, Random, Timers } from '../base/clock.ts'
import { createLogThrottle, type Log, type LogThrottle } from '../base/log.ts'
import { type Guard, guarded, guardedWatcher, type Watcher } from './watcher.ts'
import { VERSION } from '../base/version.ts'
import { historyOf, nameOf } from './work/history.ts'
import { type DispatchDeps, Dispatcher } from './work/dispatcher.ts'
import { openSession, type SessionChange, updateSession } from './work/session.ts'
import { ProcessLease } from './lanes/lease.ts'
import { Maintenance, warnOfNewerSchema, watchBacklog } from '../store/maintenance/maintenance.ts'
import { type BuiltInParts, countStates, createBuiltIn, ENTERED, ownSendsOf, SILENCING } from './built-in-parts.ts'
import { createOutbox, type Outbox } from './outbox/record-send.ts'
import { timersOfWindow } from './outbox/window.ts'
import { createCustomers } from './work/forget-and-opt-out.ts'
import { createTapSigner, type TapSigner } from './outbox/tap-signature.ts'
import type { DatabaseGauges, Desk, Gauges, Role } from './bot-internals.ts'
import type { IngestRules, KeptFacts } from './inbox/read-delivery.ts'
import type { KeysOfNumbers } from './inbox/signature.ts'
import { createReceiver, receivedBodiesHandled, noReceiver, type Receiver } from './inbox/receiver.ts'
import type { Observers } from './report/observers.ts'
import { createReports, logFirstNotices, logRestored, logUnknownEvents, reportClockAhead } from './report/reports.ts'
import type { CompiledRoutes } from './routes/compile.ts'
import type { Store } from '../store/store.ts'
import { shownDatabase } from '../store/postgres/address.ts'
import { type Numbers, numbersOfSource, numbersOfTable } from './number-lookup.ts'
import { isSourceSettings } from './number-options.ts'
import { checkSameCustomer } from './same-customer.ts'
import type { Settings } from './options.ts'
import { emulatorOffset, tellEmulator } from './tell-emulator.ts'
import type { CustomerOfNumber } from '../store/database/customer-tables.ts'
import type { MappedPath } from '../store/database/meta.ts'

export type RunningBot = Awaited<ReturnType<typeof compose>>

export interface ComposeDeps {
  readonly role: Role
  readonly store: Store
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
  readonly fetch: typeof fetch | undefined
  readonly observers: Observers
  readonly watcher: Watcher | undefined
  /** Replaces the reports, in tests. */
  readonly createReports?: typeof createReports | undefined
}

/**
 * Makes a running bot over one store: a receiver, which stores deliveries and answers them, a dispatcher, which handles
 * their items, and an outbox, which sends. Work that cannot begin at once waits in the store. The store reports it,
 * which wakes the dispatcher or the outbox.
 */
export async function compose(settings: Settings, routes: CompiledRoutes, o: ComposeDeps) {
  const parts = await createParts(settings, routes, o)
  const { store, clock, log, role, begins, reports, dispatcher, receiver, outbox, builtIn, customers } = parts
  if (settings.local) clock.adopt(await store.lastClockOffset())
  await keepMapping(store, settings)
  await tellEmulator(settings)
  // Let throttled numbers send: before this start somebody may have fixed the cause, for example by a new token.
  if (begins) await store.resumeSends({ restored: false })
  const about = { version: VERSION, role, database: shownDatabase(settings.database), routes: routes.count }
  log.info({ ...about, waiting: await store.waiting() }, 'started')
  // Nothing below may throw, because nothing would stop what is already running.
  const backlog = watchBacklog({ ...parts, report: reports.backlog })
  const endWork = beginWork(settings, parts)
  warnAtStart(settings, routes, parts)

  return {
    receiver,
    waitedMs: backlog.waitedMs,
    gauges: async (): Promise<Gauges> => ({
      lanes: { items: dispatcher.lanes.running(), sends: outbox.running() },
      failuresInARow: reports.failuresInARow(),
      // The other metrics do not need the database.
      database: await databaseGauges(store, clock, builtIn).catch(() => undefined),
    }),
    role,
    desk: deskOf(settings, routes, parts),
    outbox,
    builtIn,
    ownSends: parts.ownSends,
    customers,
    async enter(who: CustomerOfNumber, made: object, input: unknown) {
      await ENTERED?.enterNext(who, made, input, { routes, store, clock, key: ulid() })
    },
    sessionOf: async (who: CustomerOfNumber) => (await openSession(settings.session, who, parts)).value,
    updateSession: (who: CustomerOfNumber, change: SessionChange) =>
      updateSession(who, change, { ...parts, session: settings.session }),
    async stop({ drainMs, onDrained }: { drainMs: number; onDrained?: (() => Promise<void>) | undefined }) {
      receiver.beginStop()
      const until = clock.wall() + drainMs
      try {
        await dispatcher.stop(drainMs, receivedBodiesHandled())
        const left = Math.min(drainMs, Math.max(0, until - clock.wall()))
        await Promise.all([...builtIn.values(), outbox.lanes].map(async (part) => part.stop?.(left)))
        await onDrained?.()
      } finally {
        backlog.stop()
        await endWork()
        await receivedBodiesHandled()
        log.info({ ...about, waiting: await store.waiting().catch(() => undefined) }, 'stopped')
        await store.close()
      }
    },
  }
}

type Parts = Awaited<ReturnType<typeof createParts>>

async function createParts(settings: Settings, routes: CompiledRoutes, o: ComposeDeps) {
  const store = warnOfNewerSchema(o.store, o.log)
  const { role, clock, log } = o
  const begins = role !== 'receive'
  const guard = createGuard(createLogThrottle(log, clock))
  const reports = guarded((o.createReports ?? createReports)(log, clock, o.observers, settings.development), guard)
  const watcher = o.watcher && guardedWatcher(o.watcher, guard)
  const numberDeps = { ...o, store, baseUrl: settings.baseUrl, failed: reports.numbersFailed }
  const numbers = isSourceSettings(settings.numbers)
    ? numbersOfSource(settings.numbers, numberDeps)
    : numbersOfTable(settings.numbers, numberDeps)
  const clockAhead = () => guard(() => reportClockAhead(log, o.observers))
  const lease = new ProcessLease({ ...o, store, name: ulid(), clockAhead })
  const { sameCustomer } = settings
  await checkSameCustomer(store, sameCustomer)
  // Numbers that the app looks up may be of different businesses: an opt-out on one must not count on the others.
  const oneBusiness = !isSourceSettings(settings.numbers)
  const deps = { ...o, watcher, store, lease, sameCustomer, numbers: numbers.count, begins, oneBusiness, reports }

  const tapSigner = createTapSigner(await store.secret('taps'))
  const outbox = createOutbox({
    ...settings,
    ...deps,
    report: reports.sends,
    reportsFailures: routes.failedSends.length > 0,
    client: numbers.client,
    clientAfterRefusal: numbers.clientAfterRefusal,
    tapSigner,
    strict: settings.local,
  })
  const builtIn = createBuiltIn({ ...outbox.deps, ...deps, guard })
  const ownSends = ownSendsOf(builtIn)
  const customers = createCustomers(deps)
  const reading = readingRules(settings, routes, numbers)
  const dispatcher = createDispatcher(settings, routes, { ...deps, reading, outbox, ownSends, customers, tapSigner })
  const receiver = await createReceiverFor(settings, { ...deps, reading, dispatcher, keys: () => numbers.keys() })
  return { ...deps, canSend: numbers.canSend, outbox, builtIn, ownSends, customers, dispatcher, receiver }
}

function createGuard(throttled: LogThrottle): Guard {
  return (run) => {
    try {
      return run()
    } catch (error) {
      throttled('error', 'watching', 'a report or a watcher failed, and nothing else', { err: error })
      return undefined
    }
  }
}

function readingRules(settings: Settings, routes: CompiledRoutes, numbers: Numbers): IngestRules {
  return {
    numbersOf: numbers.ofSubscription,
    learn: numbers.learn,
    listens: (event) =>
      event === 'message.received' ? routes.takesMessages : routes.events.some((route) => route.event === event),
    takesUnknown: routes.takesUnknown,
    mappingOf: (event) => settings.facts?.[event],
    words: settings.words,
    sameCustomer: settings.sameCustomer,
    windowTimers: windowTimersOf(routes),
    optOuts: routes.optOuts && { says: routes.optOuts.says, anyNumber: !isSourceSettings(settings.numbers) },
    perCustomer: settings.perCustomer,
    gathers: settings.gathersBy(routes),
    silenceAskedBy: SILENCING?.askedBy,
  }
}

type CommonDeps = ComposeDeps &
  Pick<DispatchDeps, 'lease' | 'numbers' | 'begins' | 'customers' | 'watcher'> & {
    readonly reports: ReturnType<typeof createReports>
    readonly reading: IngestRules
  }

function createDispatcher(
  settings: Settings,
  routes: CompiledRoutes,
  deps: CommonDeps & Pick<DispatchDeps, 'ownSends'> & { readonly outbox: Outbox; readonly tapSigner: TapSigner },
): Dispatcher {
  const { outbox, tapSigner, clock } = deps
  return new Dispatcher({
    ...settings,
    ...deps,
    report: deps.reports.deliveries,
    routes,
    entered: ENTERED,
    silencing: SILENCING,
    options: settings.ofFeatures,
    ingest: deps.reading,
    tapVerifierOf: ({ number, customer = '' }) => ({
      now: clock.service(),
      verify: (id) => tapSigner.verify(id, { number, customer }, settings.sameCustomer.formsOf(customer)),
    }),
    pseudonym: createPseudonyms(),
    outbox: outbox.deps,
    strict: settings.local,
    answersGuessed: settings.replies === 'guessed',
  })
}

async function createReceiverFor(
  settings: Settings,
  deps: Omit<CommonDeps, 'customers'> & {
    readonly dispatcher: Dispatcher
    keys(): KeysOfNumbers
  },
): Promise<Receiver> {
  if (deps.role === 'work') return noReceiver(deps.log)
  return createReceiver({
    ...settings,
    ...deps,
    ingest: deps.reading,
    lanes: deps.dispatcher.lanes,
    report: deps.reports.receiving,
    reportItems: deps.reports.deliveries,
    keys: deps.keys(),
    dispatchIdentical: settings.identicalDeliveries === 'dispatch',
    local: settings.local && settings.development,
    explains: settings.development,
    emulatorOffset: emulatorOffset(settings.baseUrl, deps.fetch),
  })
}

/**
 * Wakes lanes and features when the store has work, renews the lease, begins maintenance. Call the result to end this.
 */
function beginWork(settings: Settings, parts: Parts): () => Promise<void> {
  const { store, begins, dispatcher, outbox, builtIn } = parts
  const maintenance = new Maintenance({ ...parts, retention: begins ? settings.retention : undefined })
  const workers = { items: [dispatcher.lanes], sends: [outbox.lanes], features: [...builtIn.values()] }
  const stopWaking = store.onWork((work) => {
    if (work === 'erasure') maintenance.wake()
    else if (begins && work === 'recheck') for (const { lanes } of [dispatcher, outbox]) lanes.recheck()
    else if (begins && work !== 'recheck') for (const worker of workers[work]) worker.wake?.()
  })
  const stopRenewing = parts.lease.keep()
  if (begins) for (const worker of Object.values(workers).flat()) worker.wake?.()
  return async () => {
    stopWaking()
    stopRenewing()
    await maintenance.stop()
  }
}

function warnAtStart(settings: Settings, routes: CompiledRoutes, { store, log, canSend }: Parts): void {
  logRestored(log, store.restored)
  const events = [...new Set(routes.events.map(({ event }) => event))]
  logUnknownEvents(log, events)
  if (store.isNew && !settings.local) logFirstNotices(log, events, canSend)
  if (routes.takesMessages) warnOfUnmapped(settings, log)
}

function deskOf(settings: Settings, routes: CompiledRoutes, parts: Parts): Desk {
  const { store, clock, log, timers, sameCustomer, outbox, reports } = parts
  return {
    store,
    clock,
    timers,
    logThrottled: createLogThrottle(log, clock),
    sameCustomer,
    numbers: isSourceSettings(settings.numbers) ? [] : settings.numbers.map(({ name }) => name),
    historyOf: (who, last) => historyOf(who, { last }, { store }),
    nameOf: (who) => nameOf(who, { store }),
    recordSend: outbox.recordSend,
    saysOptOut: (facts) => routes.optOuts?.says((JSON.parse(facts) as KeptFacts).values) !== undefined,
    templates: (number) => outbox.deps.templates(number).all(),
    acted: reports.acts,
  }
}

function windowTimersOf({ closings }: CompiledRoutes) {
  const befores = [...new Set(closings.map(({ beforeMs }) => beforeMs))]
  return befores.length === 0 ? undefined : (lastAt: number) => timersOfWindow(lastAt, befores)
}

const PSEUDONYM_LENGTH = 12

/** Names a customer in the log by a keyed hash. A plain hash of a phone number is found by trying all numbers. */
function createPseudonyms(): (customer: string) => string {
  const key = randomBytes(32)
  return (customer) => createHmac('sha256', key).update(customer).digest('base64url').slice(0, PSEUDONYM_LENGTH)
}

/** @throws SwitchhookError `store_unavailable` if the database cannot be read. */
async function databaseGauges(
  store: Pick<Store, 'waiting' | 'waitingSince' | 'closedThrottles' | 'needsPerson' | 'onDisk'>,
  clock: Clock,
  builtIn: BuiltInParts,
): Promise<DatabaseGauges> {
  const now = clock.wall()
  const [waiting, since, throttled, needsPerson, states] = await Promise.all([
    store.waiting(),
    store.waitingSince(now),
    store.closedThrottles(now),
    store.needsPerson(clock.service()),
    countStates(builtIn),
  ])
  const files = store.onDisk()
  const backedUpAt = files?.backedUpAt
  return {
    waiting,
    waitedMs: since === undefined ? 0 : Math.max(0, now - since),
    throttled,
    needsPerson,
    states,
    files: files && { ...files, backupAgeMs: backedUpAt === undefined ? undefined : Math.max(0, now - backedUpAt) },
  }
}

/** Stores the app's mapping, for the commands that show how a payload is read. */
async function keepMapping(store: Store, { facts = {}, words }: Settings): Promise<void> {
  const kept = Object.entries(words).map(([fact, of]) => ({ event: '', fact, path: JSON.stringify([...of]) }))
  const mapping = Object.entries(facts)
    .flatMap(([event, of]) => Object.entries(of ?? {}).map(([fact, source]) => mappedPath(event, fact, source)))
    .concat(kept.filter(({ path }) => path !== '[]'))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  if (JSON.stringify(await store.mapping()) !== JSON.stringify(mapping)) await store.keepMapping(mapping)
}

function mappedPath(event: string, fact: string, source: unknown): MappedPath {
  if (Array.isArray(source)) return { event, fact, path: JSON.stringify(source) }
  return { event, fact, path: typeof source === 'string' ? source : '()' }
}

function keyOf({ event, fact }: MappedPath): string {
  return `${event}\0${fact}`
}

function warnOfUnmapped({ replies, facts }: Pick<Settings, 'replies' | 'facts'>, log: Log): void {
  if (replies !== 'mapped' || facts?.['message.received']?.['customer'] !== undefined) return
  log.warn(
    {},
    "replies: 'mapped', but the option facts does not map the customer of message.received: every message is parked. `switchhook payload report` prints a mapping to paste",
  )
}
