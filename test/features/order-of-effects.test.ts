import { afterAll, beforeAll, expect, it } from 'vitest'
import * as builtIn from '../../src/built-in/store-effects.ts'
import { EFFECTS } from '../../src/store/database/effects-of-features.ts'
import type { Store } from '../../src/store/store.ts'
import type { StoreEffects } from '../../src/store/database/store-effects.ts'
import { attempting, begin, handle, seqOf, settle } from '../store/acts.ts'
import { pruneAll } from '../store/contract/prune.ts'
import { ACCEPTED, ASHA, DAY, delivery, HOUR, ingested, item, JUMA, REFUSED, send, T0, WHO } from '../store/samples.ts'
import { announced } from '../store/announced.ts'
import { placeOnDisk } from '../store/sqlite-backend.ts'

const NAMES = Object.keys(builtIn)
const inList = [...EFFECTS]
const PAIRS = NAMES.flatMap((second, at) => NAMES.slice(0, at).map((first) => [first, second] as const))

/**
 * The features of which one must come before the other, with the reason: the order of the list is then part of the
 * meaning of a commit.
 */
const ORDER_MATTERS: readonly (readonly [first: string, second: string, why: string])[] = []

afterAll(() => setOrder(inList))

function setOrder(effects: readonly StoreEffects[]): void {
  EFFECTS.splice(0, EFFECTS.length, ...effects)
}

const hello = delivery()
const asks = item({ facts: '{"values":{"text":"person"},"sure":[]}' })
const more = delivery()
const waits = item({ at: T0 + 2, cause: { identity: undefined, signed: 'signed:waits' } })
const answer = { ...send(), slot: 'person:1', byPerson: { writer: 'neema', seen: 0 } }
const failing = { ...send(), slot: 'person:2', byPerson: { writer: 'neema', seen: 0 } }

/** A life of two customers, in which each feature has rows of both, and all that features do within commits of others. */
const ACTS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  'an announcement lists both': (store) => announced(store, [ASHA, JUMA]),
  async 'a script asks a question'(store) {
    await store.ingest(await seqOf(store, hello), { ...ingested(asks), windows: [{ ...WHO, lastAt: T0 }] }, T0)
    const begun = await begin(store)
    const opens = { ...WHO, id: 'c1', name: 'survey', version: 1, input: undefined }
    const waiting = { step: 0, since: T0, for: 'answer', dueAt: T0 + HOUR } as const
    await settle(store, begun, {
      as: 'done',
      changes: { conversations: [{ id: 'c1', opens, next: { waits: waiting } }] },
    })
  },
  async 'a person takes over'(store) {
    await store.takeOver({ ...WHO, by: 'person', since: T0 + 1, until: T0 + DAY, now: T0 + 1 })
    await store.addNote(WHO, { who: 'neema', note: 'her son has fever' }, T0 + 1)
  },
  async 'a message rests for a person'(store) {
    await store.ingest(await seqOf(store, more), ingested(waits), T0 + 2)
    await handle(store, { as: 'rested', leftToPerson: 'wrote' }, { now: T0 + 2 })
  },
  async 'one answer arrives, and one does not'(store) {
    await store.settleSend(await attempting(store, answer), answer.id, ACCEPTED, { now: T0 + 3, goOn: false })
    await store.settleSend(await attempting(store, failing), failing.id, REFUSED, { now: T0 + 4, goOn: false })
  },
  'old rows are pruned': (store) => pruneAll(store, { now: T0 + 60 * DAY }),
  'the customer is forgotten': (store) => store.forget(WHO, T0 + 60 * DAY),
  async 'what is left is erased'(store) {
    while (await store.eraseForgotten(100));
  },
}

/** What the database holds after each act. */
async function life(): Promise<Readonly<Record<string, unknown>>> {
  const place = placeOnDisk()
  try {
    const store = await place.open()
    const after: Record<string, unknown> = {}
    for (const [name, act] of Object.entries(ACTS)) {
      await act(store)
      after[name] = await place.view.snapshot()
    }
    return after
  } finally {
    await place.remove()
  }
}

let usual: Readonly<Record<string, unknown>>
beforeAll(async () => {
  usual = await life()
})

it('several features have effects in one commit', () => {
  expect(PAIRS.length).toBeGreaterThan(0)
  expect(inList.filter(({ forgetCustomer }) => forgetCustomer).length).toBeGreaterThan(1)
})

it.each(PAIRS)(
  'the effects of %s and of %s leave the same in either order, unless the order is named',
  async (...pair) => {
    const [first, second] = pair.map(
      (name) => (builtIn as Readonly<Record<string, StoreEffects>>)[name] as StoreEffects,
    )
    const isNamed = ORDER_MATTERS.some(([one, other]) => one === pair[0] && other === pair[1])
    setOrder(inList.map((one) => (one === first ? second : one === second ? first : one)) as StoreEffects[])
    const other = await life()
    expect(Object.keys(ACTS).filter((act) => JSON.stringify(other[act]) !== JSON.stringify(usual[act]))).toEqual(
      isNamed ? expect.arrayContaining([expect.any(String)]) : [],
    )
  },
)
