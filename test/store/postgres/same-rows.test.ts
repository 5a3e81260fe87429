import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type {
  Accepted,
  ConversationChange,
  Held,
  Ingested,
  NewDelivery,
  SessionWrite,
  Settlement,
  StartedItem,
} from '../../../src/store/types/index.ts'
import type { Store } from '../../../src/store/store.ts'
import { openPlace } from '../postgres-backend.ts'
import { claim, delivery, ingested, item, LEASE_MS, T0 } from '../samples.ts'
import { placeOnDisk, read } from '../sqlite-backend.ts'

interface Arriving {
  readonly given: NewDelivery
  readonly ingested: Ingested | undefined
}

type Step =
  | { readonly does: 'arrive'; readonly all: readonly Arriving[]; readonly again: boolean }
  | { readonly does: 'claim'; readonly limit: number }
  | {
      readonly does: 'keep'
      readonly which: number
      readonly what: 'result' | 'step' | 'status'
      readonly name: string
    }
  | { readonly does: 'write'; readonly customer: string; readonly session: SessionWrite | undefined }
  | {
      readonly does: 'settle'
      readonly which: number
      readonly settlement: Settlement
      readonly talks: readonly Talk[]
      readonly goOn: boolean
    }

/** The step of a script in a conversation of the item's customer. */
interface Talk {
  readonly name: string
  readonly opens: boolean
  readonly next: ConversationChange['next']
}

const customers = fc.integer({ min: 0, max: 3 }).map((index) => `25571200010${index}`)
const identities = fc.record({ key: fc.constantFrom('a', 'b', 'c'), binding: fc.constantFrom('x', 'y') })

const arriving = (given: { identified: boolean }) =>
  fc
    .record({
      customer: customers,
      at: fc.integer({ min: 0, max: 60 }),
      kind: fc.constantFrom('message', 'message', 'event' as const),
      state: fc.constantFrom('stored', 'stored', 'stored', 'ignored', 'parked' as const),
      identity: given.identified ? fc.option(identities, { nil: undefined }) : fc.constant(undefined),
      moves: fc.boolean(),
      lane: fc.constantFrom('own', 'own', 'own', 'statuses', 'none' as const),
      read: fc.constantFrom('items', 'items', 'items', 'items', 'nothing', 'later'),
      trace: fc.option(fc.constant('00-1-2-01'), { nil: undefined }),
    })
    .map(({ customer, at, kind, state, identity, moves, lane, read, trace }): Arriving => {
      const lanes = { own: `default/${customer}`, statuses: `default/${customer}/status`, none: undefined }
      const made = item({ customer, at: T0 + at, kind, state, identity, lane: lanes[lane] })
      const windows = moves ? [{ number: 'default', customer, lastAt: T0 + at }] : []
      return {
        given: delivery({ receivedAt: T0 + at, ...(trace && { trace }) }),
        ingested:
          read === 'items'
            ? { ...ingested(made), windows }
            : read === 'nothing'
              ? { ...ingested(), state: 'ignored', note: 'nobody listens', ownEvent: 'message.read', windows }
              : undefined,
      }
    })

const sessions: fc.Arbitrary<SessionWrite> = fc
  .record({
    before: fc.option(fc.constant('{"step":1}'), { nil: undefined }),
    readAt: fc.constant(T0),
    value: fc.constantFrom('{"step":1}', '{"step":2}', undefined),
    version: fc.nat(3),
    expiresAt: fc.option(fc.constant(T0 + 9), { nil: undefined }),
  })
  .filter(({ before, value }) => (before ?? value) !== undefined)

const names = fc.constantFrom('order', 'visit')

const question = (step: number, dueAt?: number) => ({ waits: { step, for: 'answer', since: T0, dueAt } as const })

const talks: fc.Arbitrary<Talk[]> = fc.array(
  fc.record({
    name: names,
    opens: fc.boolean(),
    next: fc.constantFrom(undefined, { ended: 'finished' } as const, question(1), question(2, T0 + 90)),
  }),
  { maxLength: 2 },
)

const settlements: fc.Arbitrary<Settlement> = fc.oneof(
  fc.constant({ as: 'done' } as const),
  fc.record({ as: fc.constant('done' as const), session: sessions }),
  fc.constant({ as: 'ignored' } as const),
  fc.record({ as: fc.constantFrom('parked', 'dead' as const), reason: fc.constant('why') }),
  fc.record({
    as: fc.constant('retry' as const),
    reason: fc.constant('why'),
    at: fc.constantFrom(T0, T0 + 5_000),
    blocksLane: fc.boolean(),
    completedHandlers: fc.constant(['one']),
  }),
)

const settling = fc.record({
  does: fc.constant('settle' as const),
  which: fc.nat(9),
  settlement: settlements,
  talks,
  goOn: fc.boolean(),
})

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      does: fc.constant('arrive' as const),
      // Several at once are all ordinary: others are stored behind them, and not among them by their times.
      all: fc.oneof(
        fc.array(arriving({ identified: true }), { minLength: 1, maxLength: 1 }),
        fc.array(arriving({ identified: false }), { minLength: 2, maxLength: 6 }),
      ),
      again: fc.boolean(),
    }),
    fc.record({ does: fc.constant('claim' as const), limit: fc.integer({ min: 1, max: 3 }) }),
    fc.record({
      does: fc.constant('keep' as const),
      which: fc.nat(9),
      what: fc.constantFrom('result', 'step', 'status'),
      name: names,
    }),
    fc.record({
      does: fc.constant('write' as const),
      customer: customers,
      session: fc.option(sessions, { nil: undefined }),
    }),
    settling,
    settling,
  ),
  { minLength: 8, maxLength: 40 },
)

it('random deliveries and settlements leave the same rows and answers as one writer leaves [R DEL-02, R DEL-03]', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const [one, several] = [placeOnDisk(), await openPlace()]
      try {
        const answers = await play(await one.open(), all)
        expect(await play(await several.open(), all)).toEqual(answers)
        const tables = read(one.file, "SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) =>
          String(name),
        )
        for (const table of tables.filter((name) => name !== 'meta'))
          expect(sorted(await several.database.read(`SELECT * FROM switchhook.${table}`)), table).toEqual(
            sorted(read(one.file, `SELECT * FROM ${table}`)),
          )
      } finally {
        await one.remove()
        await several.remove()
      }
    }),
    { numRuns: 25 },
  )
})

/** Does the steps one after the other; the answers are without the tokens, which each process counts for itself. */
async function play(store: Store, all: readonly Step[]): Promise<unknown[]> {
  const answers: unknown[] = []
  let held: Held<StartedItem>[] = []
  let now = T0
  let slots = 4
  const room = {
    take: () => slots > 0 && slots-- > 0,
    give: () => void slots++,
  }
  for (const step of all) {
    now += 10
    if (step.does === 'arrive') {
      // Of several at once, one that cannot begin may have the room that another one wanted, which waits for a claim then.
      const begin = slots < step.all.length ? {} : { begin: { owner: 'one', now, leaseMs: LEASE_MS, room } }
      const accept = ({ given, ingested }: Arriving): Promise<Accepted> =>
        store.accept(given, ingested && { ingested, ...begin })
      const accepted = await Promise.all(step.all.map(accept))
      if (step.again) accepted.push(await accept(step.all[0] as Arriving))
      held.push(...accepted.flatMap(({ started }) => started ?? []))
      // Of several at once the first may see the window as the last of them leaves it.
      const window = step.all.length > 1 ? { lastInboundAt: undefined } : {}
      answers.push(
        accepted.map(({ started, ...rest }) => ({ ...rest, work: started && { ...started.work, ...window } })),
      )
    } else if (step.does === 'claim') {
      const claimed = await store.claimItems(
        claim({ now, limit: step.limit, holding: held.map(({ fence }) => fence.lane) }),
      )
      held.push(...claimed.held)
      answers.push(
        claimed.held.map(({ work }) => work),
        claimed.nextAt,
      )
    } else if (step.does === 'write') {
      const who = { number: 'default', customer: step.customer }
      answers.push(step.session && (await store.putSession(who, step.session)))
    } else {
      const of = held[step.which % Math.max(1, held.length)]
      if (!of) continue
      if (step.does === 'keep') {
        answers.push(await keep(store, of, step))
        continue
      }
      const { settlement, goOn } = step
      const conversations = step.talks.flatMap((talk) => changeOf(of.work, talk) ?? [])
      const talking = 'session' in settlement || settlement.as !== 'done' || conversations.length === 0
      const settled = store.settleItem(of.fence, of.work.id, talking ? settlement : { ...settlement, conversations }, {
        now,
        goOn,
        room,
      })
      const { next, ...rest } = await settled
      answers.push({ ...rest, next })
      if (rest.sessionChanged) continue
      held = held.filter((each) => each !== of)
      if (next) held.push({ fence: of.fence, work: next })
      else slots++
    }
    answers.push(slots)
  }
  return answers
}

/** The result that a handler keeps while it is at work. */
function keep(
  store: Store,
  { fence, work }: Held<StartedItem>,
  { what, name }: Extract<Step, { does: 'keep' }>,
): Promise<unknown> {
  const talk = changeOf(work, { name, opens: true, next: undefined })
  if (what === 'status') return store.claimReached(work.id, name, ['delivered', 'sent'])
  if (what === 'result' || !talk?.opens) return store.keepOnce(fence, work.id, name, `"${work.at}"`)
  return store.keepStep(fence, work.id, talk.opens, { step: 1, kind: 'once', name, result: '2' }, T0)
}

function changeOf({ customer }: StartedItem, { name, opens, next }: Talk): ConversationChange | undefined {
  if (customer === undefined) return undefined
  const id = `${customer} ${name}`
  const opened = { id, number: 'default', customer, name, version: 1, input: undefined }
  return {
    id,
    ...(opens && { opens: opened }),
    steps: [{ step: 0, kind: 'ask', name: 'size', result: undefined }],
    ...(next && { next }),
  }
}

function sorted(rows: readonly Readonly<Record<string, unknown>>[]): unknown[] {
  const comparable = rows.map(({ token, ...row }) => ({ ...row, held: token !== undefined && token !== null }))
  return comparable.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}
