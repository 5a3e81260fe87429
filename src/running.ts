import { ulid } from 'ulid'
import type { Clock, Random, Timers } from './base/clock.ts'
import { SwitchhookError } from './base/errors.ts'
import type { Log } from './base/log.ts'
import { type Client, createClient } from './client/index.ts'
import { deliveryHeaders, EMULATOR_CLOCK_OFFSET } from './contract/index.ts'
import { createDispatcher, type RouteTable } from './dispatch/index.ts'
import { keepLeases } from './lanes/lease.ts'
import type { Answer } from './receive/answers.ts'
import { createKeyring } from './receive/keyring.ts'
import { type Incoming, receive, type Receiver } from './receive/receive.ts'
import { createOutbox, say, type Saying, type SendResult } from './reply/index.ts'
import { createReports, type Observers } from './report/index.ts'
import type { NumberSettings, Settings } from './settings.ts'
import type { Store } from './stores/port/index.ts'

/** A bot between its start and its stop. */
export interface Running {
  receive(incoming: Incoming): Promise<Answer>
  say(saying: Saying): Promise<SendResult>
  stop(o: { drainMs: number; drained?: (() => Promise<void>) | undefined }): Promise<void>
}

export interface Surroundings {
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
export async function run(settings: Settings, routes: RouteTable, around: Surroundings): Promise<Running> {
  const { store, clock, log } = around
  const keyring = createKeyring(await secretsOf(settings.numbers))
  const clients = clientsOf(settings, around)
  const owner = ulid()
  const reports = createReports(log, clock, around.observers)
  let stopping = false

  const sending = {
    ...around,
    owner,
    onUnknown: settings.onUnknown,
    report: reports.sends,
    client: (number: string) => clients.get(number),
  }
  const outbox = createOutbox(sending)
  const saying = { ...sending, outbox, allowedRecipients: settings.allowedRecipients, strict: settings.local }
  const dispatcher = createDispatcher({
    ...around,
    owner,
    routes,
    report: reports.deliveries,
    lanes: settings.lanes,
    limits: settings.attempts,
    strict: settings.local,
    sorting: {
      numberOf: (subscription) => numberNamed(settings.numbers, subscription),
      listens: (event) => routes.listens(event),
    },
    say: (message) => say(message, saying),
  })
  const receiver: Receiver = {
    clock,
    keyring,
    report: reports.receiving,
    names: headerNames(settings),
    limits: { maxBytes: settings.bodyLimit, deadlineMs: BODY_DEADLINE_MS, timers: around.timers },
    accept(delivery) {
      if (settings.local) clock.adopt(delivery.clockOffset)
      return store.accept(delivery)
    },
    stopping: () => stopping,
  }

  if (settings.local) clock.adopt(await store.lastClockOffset())
  const endWork = store.onWork((work) => (work === 'items' ? dispatcher : outbox).nudge())
  const endLeases = keepLeases({ ...around, owner })
  dispatcher.nudge()
  outbox.nudge()

  return {
    receive: (incoming) => receive(incoming, receiver),
    say: (message) => say(message, saying),
    async stop({ drainMs, drained }) {
      stopping = true
      await dispatcher.stop(drainMs)
      await outbox.stop(drainMs)
      await drained?.()
      endWork()
      endLeases()
      await store.close()
    },
  }
}

async function secretsOf(numbers: readonly NumberSettings[]): Promise<Record<string, readonly string[]>> {
  const secrets: Record<string, readonly string[]> = {}
  const owners = new Map<string, string>()
  for (const { name, signingSecret } of numbers) {
    const given = typeof signingSecret === 'function' ? await signingSecret({ number: name }) : signingSecret
    secrets[name] = typeof given === 'string' ? [given] : given
    for (const secret of secrets[name]) {
      const other = owners.get(secret)
      if (other !== undefined)
        throw new SwitchhookError(
          'options_invalid',
          `numbers.${other} and numbers.${name} have the same signing secret, so a delivery would not say whose it is: register a subscription for each`,
        )
      owners.set(secret, name)
    }
  }
  return secrets
}

function clientsOf(settings: Settings, around: Surroundings): Map<string, Client> {
  const clients = new Map<string, Client>()
  const { baseUrl } = settings
  if (baseUrl === undefined) return clients
  for (const { name, accessToken, phoneNumberId } of settings.numbers)
    if (accessToken !== undefined)
      clients.set(
        name,
        createClient({
          baseUrl,
          accessToken: typeof accessToken === 'function' ? () => accessToken({ number: name }) : accessToken,
          ...(phoneNumberId !== undefined && { phoneNumberId }),
          ...(around.fetch && { fetch: around.fetch }),
          timers: around.timers,
          random: around.random,
          onOffset: (offset) => around.clock.adopt(offset),
        }),
      )
  return clients
}

function numberNamed(numbers: readonly NumberSettings[], name: string) {
  return { name, phoneNumberId: numbers.find((number) => number.name === name)?.phoneNumberId }
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
