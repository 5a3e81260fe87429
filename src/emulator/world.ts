import { createMediaFiles, type MediaFiles } from './media/files.ts'
import { randomBytes } from 'node:crypto'
import type { ResolvedOptions } from './options.ts'
import { createTimeline, type Timeline } from './timeline.ts'
import { createDeliverer, type Deliverer } from './deliver/deliverer.ts'
import { attemptOutcome, type Delivery } from './deliver/delivery.ts'
import type { Post } from './deliver/request.ts'
import { createSubscriptions, type Subscription, type Subscriptions } from './deliver/subscriptions.ts'
import { createEventLog, type EventLog } from './events/log.ts'
import { createPayloads, type Payloads } from './events/payloads.ts'
import { createPublisher, type Publisher } from './events/publish.ts'
import { type Fixture, haveNumericIds } from './events/fixtures.ts'
import { createModel, type Model, type ModelChange, type ModelDeps } from './model/model.ts'
import { type Calls, createCalls } from './service/api.ts'

/** The present state, and the timeline of what happens in it. */
export interface World {
  readonly state: State
  /** The files that customers send. */
  readonly media: MediaFiles
  readonly timeline: Timeline
  /** Starts over with a new state. */
  reset(): void
  close(): void
}

export function createWorld(options: ResolvedOptions): World {
  const { webhook, secret, token: accessToken } = options
  let state: State
  const timeline = createTimeline(() => state.clock.now(), randomBytes(4).toString('hex'))
  const begin = (): void => {
    state = createState({ ...options, accessToken, record: timeline.add })
    if (webhook !== undefined) state.subscriptions.register(webhook, secret)
  }
  begin()

  return {
    media: createMediaFiles(),
    get state() {
      return state
    },
    timeline,
    reset() {
      state.close()
      begin()
      timeline.add('resync')
    },
    close: () => state.close(),
  }
}

/** Everything that the emulated service knows. A reset throws the state away and makes a new one. */
export interface State extends Model {
  readonly events: EventLog
  readonly payloads: Payloads
  readonly publisher: Publisher
  readonly subscriptions: Subscriptions
  readonly deliverer: Deliverer
  readonly calls: Calls
  readonly record: Timeline['add']
  close(): void
}

interface StateDeps extends Omit<ModelDeps, 'announce' | 'numericIds'> {
  readonly headerPrefix: string
  readonly post?: Post | undefined
  /** The service's recorded payloads; none by default. */
  readonly fixtures: readonly Fixture[]
  readonly record: Timeline['add']
}

/** Joins the parts: events follow from the model's changes, deliveries from events. */
function createState(deps: StateDeps): State {
  let isClosed = false
  // Work that a reset cuts off ends in a state that is gone: the timeline must not show it.
  const record: Timeline['add'] = (kind, about) => {
    if (!isClosed) deps.record(kind, about)
  }
  const announce = (change: ModelChange): string[] => {
    switch (change.kind) {
      case 'thread':
      case 'handset':
      case 'window':
      case 'agent':
      case 'clock': {
        const { kind, ...about } = change
        record(kind, about)
        return []
      }
      default:
        return publisher.follow(change)
    }
  }
  const model = createModel({ ...deps, announce, numericIds: haveNumericIds(deps.fixtures) })
  const recordSubscription = ({ id, url, state: its, failures }: Subscription) =>
    record('subscription', { subscription: { id, url, state: its, failures } })
  const subscriptions = createSubscriptions(model.ids, recordSubscription)
  const deliverer = createDeliverer({ ...deps, ...model, subscriptions })
  deliverer.watch((delivery) => record('delivery', { delivery: summary(delivery) }))
  const events = createEventLog(model.clock.now)
  const payloads = createPayloads(deps.fixtures, model, (message) => process.emitWarning(message))
  const publisher = createPublisher({
    model,
    log: events,
    payloads,
    deliver: deliverer.deliver,
    published: (event) => record('event', { event }),
  })
  const state: State = {
    ...model,
    events,
    payloads,
    publisher,
    subscriptions,
    deliverer,
    calls: createCalls(),
    record,
    close() {
      isClosed = true
      model.schedule.clear()
      deliverer.close()
    },
  }
  return state
}

/** A delivery in short, as the timeline shows it. */
function summary({ id, event, customer, message, body, state, attempts }: Delivery): object {
  const last = attempts.at(-1)
  return {
    id,
    event,
    customer: customer ?? null,
    message: message ?? null,
    state,
    attempts: attempts.length,
    ...(event === 'message.status' && statusMember(body)),
    ...(last && { last: attemptOutcome(last) }),
  }
}

/** The status in a `message.status`: every made-up shape of its payload has one member of that name. */
function statusMember(body: Buffer): { readonly status?: string } {
  const [, status] = /"status":\s*"(\w+)"/.exec(body.toString('utf8')) ?? []
  return status === undefined ? {} : { status }
}
