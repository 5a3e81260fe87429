import type { Desk } from '../receive/bot-internals.ts'
import { resolutionsOf } from '../store/rules/send-settlement.ts'
import type { ActName, AskedAct, Done } from './api.ts'
import { type Handles, maskedName } from './handles.ts'
import { Refused } from './http.ts'
import { chooseByFilter, chooseByNumber, requeue } from './retry.ts'

export interface ActDeps {
  readonly desk: Desk
  readonly handles: Handles
}

export interface ReadyAct {
  /** A sentence without a number or a text of a customer. */
  readonly what: string
  run(): Promise<Done>
}

type Prepare<Name extends ActName> = (asked: Extract<AskedAct, { act: Name }>, deps: ActDeps) => Promise<ReadyAct>

/** A person's acts. Each `prepare` reads and may refuse, and changes nothing. */
const ACTS: { readonly [Name in ActName]: Prepare<Name> } = {
  async retry({ deliveries, filter, token }, deps) {
    if (deliveries === undefined && filter === undefined)
      throw new Refused('invalid', 'retry: expected deliveries, or a filter with its token')
    const chosen = filter ? await chooseByFilter(filter, token, deps) : chooseByNumber(deliveries ?? [])
    return { what: chosen.what, run: () => requeue(chosen, deps.desk) }
  },

  async resolve({ send: id, as }, { desk: { store } }) {
    const send = await findSend(id, store)
    return {
      what: `send ${send.id} as ${as}`,
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
      async run() {
        const o = { restored, now: desk.store.clock(), ...(number !== undefined && { number }) }
        const resumed = await desk.store.resumeSends(o)
        return { count: resumed.throttles.length + resumed.held + resumed.restored, untouched: [] }
      },
    }
  },

  async cancel({ send: id }, { desk: { store } }) {
    const send = await findSend(id, store)
    return {
      what: `send ${send.id}`,
      async run() {
        if (await store.cancelSend(send.key, store.clock())) return ONE
        throw new Refused('not_possible', 'The send is about to go out, or has ended.')
      },
    }
  },

  async hand_over({ customer, minutes }, { desk, handles }) {
    const who = handles.customerOf(customer)
    return {
      what: `${maskedName(customer, handles)}, for ${minutes} minutes`,
      run: () => desk.handOver(who, minutes * 60_000).then(() => ONE),
    }
  },

  async hand_back({ customer }, { desk, handles }) {
    const who = handles.customerOf(customer)
    return { what: maskedName(customer, handles), run: () => desk.handBack(who).then(() => ONE) }
  },

  async end_conversation({ conversation: id }, { desk: { store } }) {
    const { conversation } = await store.journalOf(id)
    if (!conversation) throw new Refused('not_found', `The conversation ${JSON.stringify(id)} does not exist.`)
    return {
      what: `conversation ${id}`,
      async run() {
        if (await store.endConversation(id, store.clock())) return ONE
        throw new Refused('not_possible', 'The conversation is not open.')
      },
    }
  },

  async announcement({ announcement: id, to }, { desk: { store } }) {
    if (!(await store.announcement(id))) throw new Refused('not_found', `The announcement ${id} does not exist.`)
    return {
      what: `announcement ${id} to ${to}`,
      async run() {
        if (await store.changeAnnouncement(id, to, { now: store.clock() })) return ONE
        throw new Refused('not_possible', `The announcement is ${(await store.announcement(id))?.state ?? 'gone'}.`)
      },
    }
  },
}

/** @throws Refused */
export function prepareAct(asked: AskedAct, deps: ActDeps): Promise<ReadyAct> {
  return (ACTS[asked.act] as Prepare<ActName>)(asked, deps)
}

/** The numbers of a source cannot be listed. The database knows those with waiting sends. */
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
