import type { Desk } from '../receive/desk.ts'
import type { Resolution } from '../stores/port/index.ts'
import { resolutionsOf } from '../stores/rules/send-settlement.ts'
import type { ActName, Done } from './api.ts'
import { checkSeqs, type Members } from './bodies.ts'
import { Refused } from './http.ts'
import { chosenByFilter, chosenByNumber, putBack } from './retry.ts'
import { nameOfCustomer, type Sealer } from './sealed.ts'
import { oneOf } from './view.ts'

export interface ActDeps {
  readonly desk: Desk
  readonly sealer: Sealer
}

/** An act that was asked for and can be done: it is recorded by its words before `run`. */
export interface ReadyAct {
  /** In words, without a number or a text of a customer. */
  readonly what: string
  run(): Promise<Done>
}

type Prepare = (asked: Members, deps: ActDeps) => Promise<ReadyAct>

/** The acts of a person, by their names. Each `prepare` reads and refuses, and changes nothing. */
export const ACTS: Readonly<Record<ActName, Prepare>> = {
  retry,
  resolve,
  resume,
  cancel,
  hand_over: handOver,
  hand_back: handBack,
  end_conversation: endConversation,
}

async function retry(asked: Members, deps: ActDeps): Promise<ReadyAct> {
  const deliveries = asked.value('deliveries')
  const chosen =
    deliveries === undefined
      ? await chosenByFilter(asked.value('filter'), asked.value('token'), deps)
      : chosenByNumber(checkSeqs(deliveries))
  return { what: chosen.what, run: () => putBack(chosen, deps.desk) }
}

const RESOLUTIONS = ['accepted', 'resend', 'drop'] as const satisfies readonly Resolution[]

async function resolve(asked: Members, { desk: { store } }: ActDeps): Promise<ReadyAct> {
  const as = oneOf(asked.text('as'), RESOLUTIONS, 'as')
  const send = await sendNamed(asked, store)
  return {
    what: `send ${send.id} as ${as}`,
    async run() {
      const resolved = await store.resolveSend(send.id, as, store.clock())
      if (resolved?.done) return ONE
      const possible = resolutionsOf(resolved?.send ?? send).join(', ') || 'nothing'
      throw new Refused('not_possible', `The send is ${resolved?.was ?? 'gone'}; possible: ${possible}.`)
    },
  }
}

async function resume(asked: Members, { desk }: ActDeps): Promise<ReadyAct> {
  const number = asked.optional('number')
  const restored = asked.flag('restored')
  // Numbers of a source are as many as the app has tenants: nobody lists them.
  if (number !== undefined && desk.numbers.length > 0 && !desk.numbers.includes(number))
    throw new Refused('not_found', `The bot has no number ${JSON.stringify(number)}.`)
  const which = number === undefined ? 'all numbers' : `number ${number}`
  return {
    what: restored ? `${which}, with what a restored database holds` : which,
    async run() {
      const o = { restored, now: desk.store.clock(), ...(number !== undefined && { number }) }
      const resumed = await desk.store.resumeSends(o)
      return { count: resumed.throttles.length + resumed.held + resumed.restored, untouched: [] }
    },
  }
}

async function cancel(asked: Members, { desk: { store } }: ActDeps): Promise<ReadyAct> {
  const send = await sendNamed(asked, store)
  return {
    what: `send ${send.id}`,
    async run() {
      if (await store.cancelSend(send.key, store.clock())) return ONE
      throw new Refused('not_possible', 'The send is about to go out, or has ended.')
    },
  }
}

async function sendNamed(asked: Members, store: Desk['store']) {
  const id = asked.text('send')
  const send = await store.findSend({ id })
  if (send) return send
  throw new Refused('not_found', `There is no send ${JSON.stringify(id)}.`)
}

const MINUTE_MS = 60_000
const A_DAY = 1_440

async function handOver(asked: Members, { desk, sealer }: ActDeps): Promise<ReadyAct> {
  const handle = asked.text('customer')
  const who = sealer.customerOf(handle)
  const minutes = asked.whole('minutes', { least: 1, most: 30 * A_DAY, usual: A_DAY })
  return {
    what: `${nameOfCustomer(handle, sealer)}, for ${minutes} minutes`,
    async run() {
      await desk.handOver(who, minutes * MINUTE_MS)
      return ONE
    },
  }
}

async function handBack(asked: Members, { desk, sealer }: ActDeps): Promise<ReadyAct> {
  const handle = asked.text('customer')
  const who = sealer.customerOf(handle)
  return {
    what: nameOfCustomer(handle, sealer),
    async run() {
      await desk.handBack(who)
      return ONE
    },
  }
}

async function endConversation(asked: Members, { desk: { store } }: ActDeps): Promise<ReadyAct> {
  const id = asked.text('conversation')
  const { conversation } = await store.journalOf(id)
  if (!conversation) throw new Refused('not_found', `There is no conversation ${JSON.stringify(id)}.`)
  return {
    what: `conversation ${id}`,
    async run() {
      if (await store.endConversation(id, store.clock())) return ONE
      throw new Refused('not_possible', 'The conversation is not open.')
    },
  }
}

const ONE: Done = { count: 1, untouched: [] }
