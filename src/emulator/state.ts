import { resumeAnswer } from './actors/agent.ts'
import { createDeliverer, type Deliverer } from './deliver/deliverer.ts'
import { attemptOutcome, type Delivery } from './deliver/delivery.ts'
import type { Post } from './deliver/post.ts'
import { createSubscriptions, type Subscription, type Subscriptions } from './deliver/subscriptions.ts'
import type { Fixture } from './events/fixture.ts'
import { createEventLog, type EventLog } from './events/log.ts'
import { createPayloads, type Payloads } from './events/payloads.ts'
import { createPublisher, type Publisher } from './events/publish.ts'
import { createRecorded, haveNumericIds } from './events/recorded.ts'
import { saveAccount } from './model/account.ts'
import {
  type Collection,
  createModel,
  type Model,
  type ModelChange,
  type ModelDeps,
  type Saved,
} from './model/model.ts'
import { resumeProgress } from './model/progress.ts'
import type { Task } from './model/schedule.ts'
import { type Calls, createCalls } from './service/calls.ts'
import type { Snapshot } from './snapshot.ts'
import type { Timeline } from './timeline.ts'

/** Everything that the emulated service knows. A reset or a restore throws the state away and makes a new one. */
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

interface StateDeps extends Omit<ModelDeps, 'announce' | 'perform' | 'numericIds'> {
  readonly headerPrefix: string
  readonly post?: Post | undefined
  /** The service's recorded payloads; none by default. */
  readonly fixtures: readonly Fixture[]
  readonly record: Timeline['add']
  /** Called after each task that ran by the schedule. */
  readonly performed: () => void
}

/** Joins the parts: events follow from the model's changes, deliveries from events. With `saved` all goes on as it was then. */
export function createState(deps: StateDeps, saved?: Snapshot): State {
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
  const perform = (task: Task) => {
    try {
      performTask(state, task)
    } catch (error) {
      // A task belongs to no request: its failure must not bring the process down.
      process.emitWarning(error instanceof Error ? error : String(error))
    }
    deps.performed()
  }
  const model = createModel({ ...deps, announce, perform, numericIds: haveNumericIds(deps.fixtures) }, saved)
  const recordSubscription = ({ id, url, state: its, failures }: Subscription) =>
    record('subscription', { subscription: { id, url, state: its, failures } })
  const subscriptions = createSubscriptions(model.ids, recordSubscription, saved?.subscriptions)
  const deliveryChanged = (id: string) => deps.changed('deliveries', id)
  const deliverer = createDeliverer({ ...deps, ...model, subscriptions, deliveryChanged }, saved?.deliveries)
  deliverer.watch((delivery) => record('delivery', { delivery: summary(delivery) }))
  const events = createEventLog(model.clock.now, (id) => deps.changed('events', id), saved?.events)
  const payloads = createPayloads(
    createRecorded(deps.fixtures, model.assumptions, (message) => process.emitWarning(message)),
  )
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

function performTask(state: State, task: Task): void {
  switch (task.do) {
    case 'progress':
      return resumeProgress(state, task)
    case 'answer':
      return resumeAnswer(state, task)
    case 'attempt':
    case 'release':
      return state.deliverer.resume(task)
  }
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

/** Everything that the emulated service knows, but for one-time codes and sends that are under way. */
export function snapshotOf(state: State): Snapshot {
  return {
    ...snapshotHead(state),
    phones: [...state.phones.save()],
    keys: [...state.keys.save()],
    events: [...state.events.save()],
    deliveries: [...state.deliverer.save()],
  }
}

export function snapshotHead(state: State): Omit<Snapshot, Collection> {
  // Read once: the clock's offset must come back to the millisecond.
  const wall = state.clock.wall()
  const schedule = state.schedule.save()
  return {
    version: 2,
    time: { now: wall + state.clock.offset, wall },
    random: state.random.save(),
    lastUlid: state.ids.save(),
    turn: { ...state.turn },
    assumptions: structuredClone(state.assumptions),
    account: saveAccount(state.account),
    agent: structuredClone(state.agent.save()),
    templates: [...state.templates.save()],
    subscriptions: [...state.subscriptions.save()],
    faults: [...state.faults.save()],
    schedule: { ...schedule, tasks: [...schedule.tasks] },
  }
}

/** One entry of a collection, or one item of a thread, as it is saved; undefined if it is gone. */
export const SAVE_ONE: Readonly<Record<Saved, (state: State, id: string) => object | undefined>> = {
  phones: ({ phones }, id) => phones.saveOne(id),
  items: ({ phones }, id) => phones.saveItem(id),
  keys: ({ keys }, id) => keys.saveOne(id),
  events: ({ events }, row) => events.saveOne(row),
  deliveries: ({ deliverer }, id) => deliverer.saveOne(id),
}

export function savedIds(state: State): Readonly<Record<Saved, readonly string[]>> {
  return {
    phones: state.phones.all().map(({ customer }) => customer),
    items: state.phones.itemIds(),
    keys: state.keys.ids(),
    events: state.events.rows(),
    deliveries: state.deliverer.list().map(({ id }) => id),
  }
}
