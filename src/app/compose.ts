import { ulid } from 'ulid'
import type { Clock, Random, Timers } from '../base/clock.ts'
import { SwitchhookError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { deliveryHeaders, EMULATOR_CLOCK_OFFSET } from '../contract/index.ts'
import { createDispatcher, openSession } from '../dispatch/index.ts'
import { keepLeases } from '../lanes/lease.ts'
import type { Answer } from '../receive/answers.ts'
import { createKeySource, JOINED, type KeySource, SecretsUnknown } from '../receive/key-source.ts'
import { createReadiness } from '../receive/readiness.ts'
import { type Incoming, receive, type Receiver } from '../receive/receive.ts'
import { createTakeover, createOutbox, createTapSigner, type Takeover, type Outbox } from '../outbox/index.ts'
import { clientsOf, numbersNamed, secretsOf, tokensOf } from './numbers.ts'
import { createPseudonyms } from './pseudonym.ts'
import { createReports, type Observers, tellOfAgent, tellOfRestored } from '../report/index.ts'
import type { CompiledRoutes } from '../routes/index.ts'
import type { Settings } from './settings.ts'
import type { Store } from '../stores/port/index.ts'
import { createMaintenance, tellingOfNewer } from '../maintenance/index.ts'

/** A bot between its start and its stop. */
export interface RunningBot {
  receive(incoming: Incoming): Promise<Answer>
  /** Whether deliveries can be stored, as far as the last of them tells. */
  ready(): boolean
  readonly outbox: Outbox
  readonly takeover: Takeover
  /** A customer's session as it was last stored, or a new one. */
  sessionOf(who: { readonly number: string; readonly customer: string }): Promise<unknown>
  stop(o: { drainMs: number; drained?: (() => Promise<void>) | undefined }): Promise<void>
}

export interface ComposeDeps {
  readonly store: Store
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
  readonly fetch: typeof fetch | undefined
  readonly observers: Observers
}

const BODY_DEADLINE_MS = 10_000

/** Puts the rooms together: receiver, dispatcher and outbox over one store, with one owner for all lanes. */
export async function compose(settings: Settings, routes: CompiledRoutes, given: ComposeDeps): Promise<RunningBot> {
  const around = { ...given, store: tellingOfNewer(given.store, given.log) }
  const { store, clock, log } = around
  const keys = createKeySource(settings.numbers.map(secretsOf), clock.wall, around.timers)
  await asked(keys, log)
  const clients = clientsOf(settings, around)
  const owner = ulid()
  const reports = createReports(log, clock, around.observers)
  let stopping = false

  const tapSigner = createTapSigner(await store.secret('taps'))
  const outbox = createOutbox({
    ...around,
    tapSigner,
    owner,
    onUnknown: settings.onUnknown,
    report: reports.sends,
    strict: settings.local,
    validation: settings.validation,
    allowedRecipients: settings.allowedRecipients,
    client: (number) => clients.get(number),
    token: tokensOf(settings),
  })
  const takeover = createTakeover(around)
  const dispatcher = createDispatcher({
    ...around,
    owner,
    routes,
    report: reports.deliveries,
    lanes: settings.lanes,
    limits: settings.attempts,
    strict: settings.local,
    pseudonym: createPseudonyms(),
    ingest: {
      numbersOf: (subscription) => numbersNamed(settings.numbers, subscription.split(JOINED)),
      listens: (event) => listens(routes, event),
      mappingOf: (event) => settings.facts?.[event],
    },
    session: settings.session,
    openerFor: ({ number, customer = '' }) => ({
      now: clock.service(),
      open: (id) => tapSigner.verify(id, { number, customer }),
    }),
    staleAfterMs: settings.staleAfterMs,
    takeoverMs: settings.takeoverMs,
    answersGuessed: settings.answersGuessed,
    takeover,
    recordSend: outbox.recordSend,
    sendCode: outbox.sendCode,
  })
  const readiness = createReadiness(clock)
  const receiver: Receiver = {
    clock,
    keys,
    report: reports.receiving,
    keepStale: settings.keepStale,
    explains: settings.local,
    names: headerNames(settings),
    limits: { maxBytes: settings.bodyLimit, deadlineMs: BODY_DEADLINE_MS, timers: around.timers },
    accept(delivery) {
      if (settings.local) clock.adopt(delivery.clockOffset)
      return readiness.told(store.accept({ ...delivery, dispatchIdentical: settings.dispatchIdentical }))
    },
    stopping: () => stopping,
  }

  if (settings.local) clock.adopt(await store.lastClockOffset())
  // A new start may have brought what a stopped queue waits for.
  await store.probeThrottles()
  // From here on nothing fails: what a start that failed had begun would go on for ever.
  const endWork = store.onWork((work) => (work === 'items' ? dispatcher : outbox).wake())
  const holding = () => [...dispatcher.heldLeases(), ...outbox.heldLeases()]
  const endLeases = keepLeases({ ...around, holding })
  tellOfRestored(log, store.restored)
  if (store.isNew && clients.size > 0) tellOfAgent(log)
  const keeper = createMaintenance({ ...around, retention: settings.retention })
  dispatcher.wake()
  outbox.wake()

  return {
    receive: (incoming) => receive(incoming, receiver),
    ready: readiness.ready,
    outbox,
    takeover,
    sessionOf: async (who) => (await openSession(settings.session, who, around)).value,
    async stop({ drainMs, drained }) {
      stopping = true
      const until = clock.wall() + drainMs
      try {
        await dispatcher.stop(drainMs)
        await outbox.stop(Math.min(drainMs, Math.max(0, until - clock.wall())))
        await drained?.()
      } finally {
        endWork()
        endLeases()
        await keeper.stop()
        await store.close()
      }
    },
  }
}

function listens({ takesMessages, events }: CompiledRoutes, event: string): boolean {
  return event === 'message.received' ? takesMessages : events.some((route) => route.event === event)
}

/** A wrong secret is told at once; a function that cannot answer yet is no reason not to start. */
async function asked(keys: KeySource, log: Log): Promise<void> {
  try {
    await keys.live()
  } catch (error) {
    if (error instanceof SecretsUnknown && error.cause instanceof SwitchhookError) throw error.cause
    log.error(
      { err: error },
      'the signing secrets are not known yet: deliveries are turned away with 503 until they are',
    )
  }
}

function headerNames({ headerPrefix, local }: Settings): Receiver['names'] {
  const { signature, timestamp, event, delivery } = deliveryHeaders(headerPrefix)
  return {
    signature: signature.toLowerCase(),
    timestamp: timestamp.toLowerCase(),
    event: event.toLowerCase(),
    delivery: delivery.toLowerCase(),
    clockOffset: local ? EMULATOR_CLOCK_OFFSET.toLowerCase() : undefined,
  }
}
