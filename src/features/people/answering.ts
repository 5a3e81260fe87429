import { keyFrom } from '../../client/client.ts'
import type { Content, Template } from '../../service/content.ts'
import { isInForce } from '../../store/database/silence.ts'
import { APP_CAUSE, BY_PERSON, isSurelyNotSent } from '../../store/outbox/send-rules.ts'
import type { SeenBy } from './store/queue.ts'
import { writtenBy } from './store/take-and-give-back.ts'
import type { Desk } from '../../bot/bot-internals.ts'
import { windowAt } from '../../bot/outbox/window.ts'
import { OutsideWindow, type SendResult } from '../../bot/outbox/send.ts'
import type { CustomerOfNumber } from '../../store/database/customer-tables.ts'

/** A message that a person writes. It is no reply, so it is sent although the customer is taken over. */
export interface WrittenByPerson {
  readonly content: Content | Template
  /** The key that the person's page made for this message. A key is sent once. */
  readonly key: string
  readonly writer: string
  readonly seen: SeenBy
  /** True if the person wants to send it although somebody has written since `seen`. */
  readonly confirmed: boolean
}

const TAKEN_OVER_MS = 24 * 60 * 60_000

/**
 * Sends a person's message to a customer. The commit that records it also takes the customer over. A repeat under the
 * same key takes nobody over, because the person may have given the customer back meanwhile. If the message was surely
 * not sent, the take-over ends again.
 *
 * @throws Unseen, OutsideWindow, and what `recordSend` throws.
 */
export async function write(desk: Desk, who: CustomerOfNumber, written: WrittenByPerson): Promise<SendResult> {
  const { store, clock } = desk
  const { number, customer: to } = who
  const { content, writer, seen, confirmed } = written
  const slot = `${BY_PERSON}${written.key}`
  const key = keyFrom(number, APP_CAUSE, slot)
  const mayBeSent = async () => {
    const known = await store.findSend({ key })
    return known !== undefined && !isSurelyNotSent(known.state)
  }
  const isRepeat = await mayBeSent()
  const { isTaken, isClosed } = await stateOf(who, desk)
  const isText = typeof content === 'string' || content.kind !== 'template'
  if (!isRepeat && isText && isClosed) throw new OutsideWindow()
  const saw = confirmed ? undefined : seen
  const byPerson = writtenBy(
    who,
    { writer, seen: seen.message, saw, takesOver: takeOverFrom(clock.service()) },
    clock.wall(),
  )
  return desk.recordSend({ number, to, content, cause: APP_CAUSE, slot, byPerson }).catch(async (error: unknown) => {
    if (!isRepeat && !isTaken && !(await mayBeSent()) && (await stateOf(who, desk)).isTaken)
      await store.resume(who, clock.service())
    throw error
  })
}

function takeOverFrom(since: number) {
  return { since, until: since + TAKEN_OVER_MS }
}

/** Assigns the chat to this person and takes the customer over, so that the bot rests. The customer is not queued. */
export async function take(desk: Desk, who: CustomerOfNumber, person: string): Promise<void> {
  const { store, clock } = desk
  const { isTaken } = await stateOf(who, desk)
  if (!isTaken)
    await store.takeOver({ ...who, by: 'person', ...takeOverFrom(clock.service()), waits: false, now: clock.wall() })
  await store.assign(who, person, { now: clock.wall() })
}

/**
 * Gives the customer back to the bot. `waiting`: the bot also answers the unanswered messages, as one bundle without
 * stop and start words. Resolves with the count of these messages.
 */
export async function giveBack(
  { store, saysOptOut, clock }: Desk,
  who: CustomerOfNumber,
  by: string,
  answer: 'next' | 'waiting',
): Promise<number> {
  const messages = answer === 'next' ? [] : await store.unanswered(who)
  const ids = messages.filter(({ facts }) => !saysOptOut(facts)).map(({ id }) => id)
  return store.giveBack(who, ids, { by, at: clock.service(), now: clock.wall() })
}

async function stateOf({ number, customer }: CustomerOfNumber, { clock, store }: Desk) {
  const now = clock.service()
  const { silence, lastInboundAt } = await store.customerOf(number, customer, now)
  return {
    isTaken: silence?.by === 'person' && isInForce(silence, now),
    isClosed: windowAt(lastInboundAt, now).open === false,
  }
}
