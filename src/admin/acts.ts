import type { Desk } from '../bot/bot-internals.ts'
import { resolutionsOf } from '../store/outbox/send-resolutions.ts'
import type { ActName, ActNameOfFeature, AskedAct, Done } from './requests.ts'
import { PARTS } from './features.ts'
import type { ActDeps, ReadyAct } from './part.ts'
import { Refused } from './admin-http.ts'
import { chooseByFilter, chooseBySeq, requeueChosen } from './retry-selected.ts'

type OwnAct = Exclude<ActName, ActNameOfFeature>
type Prepare<Name extends OwnAct> = (asked: Extract<AskedAct, { act: Name }>, deps: ActDeps) => Promise<ReadyAct>

/** Each function checks whether an act is possible. Only `run` of its result changes anything. */
const ACTS: { readonly [Name in OwnAct]: Prepare<Name> } = {
  async retry({ deliveries, filter, token }, deps) {
    if (deliveries === undefined && filter === undefined)
      throw new Refused('invalid', 'retry: expected deliveries, or a filter with its token')
    const chosen = filter ? await chooseByFilter(filter, token, deps) : chooseBySeq(deliveries ?? [])
    const numbers = filter?.number === undefined ? await numbersOf(chosen.seqs, deps.desk) : [filter.number]
    return { what: chosen.what, numbers, run: () => requeueChosen(chosen, deps.desk) }
  },

  async resolve({ send: id, as }, { desk: { store } }) {
    const send = await findSend(id, store)
    return {
      what: `send ${send.id} as ${as}`,
      numbers: [send.number],
      async run() {
        const resolved = await store.resolveSend(send.id, as, store.clock())
        if (resolved?.done) return ONE
        const possible = resolutionsOf(resolved?.send ?? send).join(', ') || 'nothing'
        throw new Refused('not_possible', `The send is ${resolved?.was ?? 'gone'}; possible: ${possible}.`)
      },
    }
  },

  async resume({ number, restored }, { desk }) {
    if (number !== undefined && !(await isKnown(number, desk)))
      throw new Refused('not_found', `The bot has no number ${JSON.stringify(number)}.`)
    const which = number === undefined ? 'all numbers' : `number ${number}`
    return {
      what: restored ? `${which}, with the sends that a restored database holds` : which,
      ...(number !== undefined && { numbers: [number] }),
      async run() {
        const resumed = await desk.store.resumeSends({ restored, number })
        return { count: resumed.throttles.length + resumed.held + resumed.restored, untouched: [] }
      },
    }
  },

  async cancel({ send: id }, { desk: { store } }) {
    const send = await findSend(id, store)
    return {
      what: `send ${send.id}`,
      numbers: [send.number],
      run: () => oneIf(store.cancelSend(send.key, store.clock()), 'The send is about to go out, or has ended.'),
    }
  },
}

/** Returns the numbers of the deliveries. Undefined, which stands for all numbers, if one has no items or is gone. */
async function numbersOf(seqs: readonly number[], { store }: Desk): Promise<readonly string[] | undefined> {
  const found = await store.deliveries(seqs)
  if (found.length < new Set(seqs).size || found.some(({ items }) => items.length === 0)) return undefined
  return [...new Set(found.flatMap(({ items }) => items.map(({ number }) => number)))]
}

const ALL_ACTS: Readonly<Record<string, unknown>> = Object.assign(
  { ...ACTS },
  ...[...PARTS.values()].map(({ acts }) => acts),
)

export function prepareAct(asked: AskedAct, deps: ActDeps): Promise<ReadyAct> {
  const prepare = ALL_ACTS[asked.act] as (asked: AskedAct, deps: ActDeps) => Promise<ReadyAct>
  return prepare(asked, deps)
}

/** True for a number of the bot. If `numbers` is a source, true if there is a throttle or a held send to resume. */
async function isKnown(number: string, { numbers, store }: Desk): Promise<boolean> {
  if (numbers.length > 0) return numbers.includes(number)
  const closed = await store.closedThrottles(store.clock())
  if (closed.some((throttle) => throttle.number === number)) return true
  return (await store.listSends({ number, state: 'held', limit: 1 })).sends.length > 0
}

async function findSend(id: string, store: Desk['store']) {
  const send = await store.findSend({ id })
  if (send) return send
  throw new Refused('not_found', `The send ${JSON.stringify(id)} does not exist.`)
}

const ONE: Done = { count: 1, untouched: [] }

async function oneIf(isDone: Promise<unknown>, why: string): Promise<Done> {
  if (await isDone) return ONE
  throw new Refused('not_possible', why)
}
