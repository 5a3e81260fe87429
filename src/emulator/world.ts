import { createMediaFiles } from './media/files.ts'
import { randomBytes } from 'node:crypto'
import type { ResolvedOptions } from './emulator-options.ts'
import { createTimeline, type DeliveryChange, type Timeline } from './timeline.ts'
import { Deliverer } from './deliver/deliverer.ts'
import { attemptOutcome, type Delivery } from './deliver/delivery.ts'
import type { Post } from './deliver/request.ts'
import { createSubscriptions, subscriptionView } from './deliver/subscriptions.ts'
import { createPayloads } from './events/payloads.ts'
import { createPublisher } from './events/publish.ts'
import type { Fixture } from './events/fixtures.ts'
import { createModel, type ModelChange, type ModelDeps } from './model/model.ts'
import { createCalls } from './service/api.ts'

export type World = ReturnType<typeof createWorld>

export function createWorld(options: ResolvedOptions) {
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
    get state(): State {
      return state
    },
    timeline,
    reset(): void {
      state.close()
      begin()
      timeline.add({ kind: 'resync' })
    },
    close: () => state.close(),
  }
}

export type State = ReturnType<typeof createState>

interface StateDeps extends Omit<ModelDeps, 'publish'> {
  readonly headerPrefix: string
  readonly post?: Post | undefined
  readonly fixtures: readonly Fixture[]
  readonly record: Timeline['add']
}

/** Everything that the emulated service knows. A reset closes the state and makes a new one. */
function createState(deps: StateDeps) {
  let isClosed = false
  // An attempt or a send that is under way at a reset ends later. The timeline must not show its end.
  const record: Timeline['add'] = (happened) => {
    if (!isClosed) deps.record(happened)
  }
  const publish = (change: ModelChange): string[] => {
    switch (change.kind) {
      case 'thread':
      case 'handset':
      case 'window':
      case 'agent':
      case 'clock':
        record(change)
        return []
      default:
        return publisher.follow(change)
    }
  }
  const model = createModel({ ...deps, publish })
  const subscriptions = createSubscriptions(model.ids, (changed) =>
    record({ kind: 'subscription', subscription: subscriptionView(changed) }),
  )
  const deliverer = new Deliverer({ ...deps, ...model, subscriptions })
  deliverer.history.watch((delivery) => record({ kind: 'delivery', delivery: summary(delivery) }))
  const payloads = createPayloads(deps.fixtures, model, (message) => process.emitWarning(message))
  const publisher = createPublisher({
    model,
    payloads,
    deliver: (event) => deliverer.deliver(event),
    published: (event) => record({ kind: 'event', event }),
  })
  return {
    ...model,
    payloads,
    publisher,
    subscriptions,
    deliverer,
    calls: createCalls(),
    record,
    close(): void {
      isClosed = true
      model.schedule.clear()
      deliverer.close()
    },
  }
}

function summary({ id, event, customer, message, body, state, attempts }: Delivery): DeliveryChange {
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

/** The status in a `message.status`. Each shape of its payload that the emulator makes up has one member `status`. */
function statusMember(body: Buffer): { readonly status?: string } {
  const [, status] = /"status":\s*"(\w+)"/.exec(body.toString('utf8')) ?? []
  return status === undefined ? {} : { status }
}
