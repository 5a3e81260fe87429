import { keyFrom } from '../../client/client.ts'
import type { Clock } from '../../base/clock.ts'
import type { Content, Template } from '../../service/content.ts'
import { isInForce } from '../../store/rules/items.ts'
import { APP_CAUSE, BY_PERSON, isSurelyNotSent } from '../../store/rules/sends.ts'
import type { SeenBy } from '../../store/people.ts'
import type { Store } from '../../store/store.ts'
import { type Customers, windowAt } from '../outbox/customers.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { OutsideWindow, type SendResult } from '../outbox/send.ts'
import type { CustomerOfNumber } from '../../store/customers.ts'

/** What a person writes. It is no reply, so a take-over does not skip it. */
export interface WrittenByPerson {
  readonly content: Content | Template
  /** The key that the person's page made for this message. One key is sent once. */
  readonly key: string
  readonly writer: string
  readonly seen: SeenBy
  /** True if the person confirmed to send it over messages that they have not seen. */
  readonly confirmed: boolean
}

interface PeopleDeps {
  readonly store: Store
  readonly clock: Clock
  readonly outbox: Pick<Outbox, 'recordSend'>
  readonly customers: Pick<Customers, 'resume'>
  /** True for the facts of a message whose words end or begin marketing. */
  saysOptOut(facts: string): boolean
}

const TAKEN_OVER_MS = 24 * 60 * 60_000

export class People {
  readonly #o: PeopleDeps

  constructor(o: PeopleDeps) {
    this.#o = o
  }

  /**
   * Sends what a person writes to a customer; the commit that records it takes the customer over. A repeat under the same
   * key changes nothing: it may arrive after the person has handed the customer back. If the message surely was not sent,
   * the customer is given back.
   *
   * @throws Unseen, OutsideWindow, and what `recordSend` throws.
   */
  async write(who: CustomerOfNumber, written: WrittenByPerson): Promise<SendResult> {
    const { store, outbox, customers } = this.#o
    const { number, customer: to } = who
    const { content, writer, seen, confirmed } = written
    const slot = `${BY_PERSON}${written.key}`
    const key = keyFrom(number, APP_CAUSE, slot)
    const mayBeSent = async () => {
      const known = await store.findSend({ key })
      return known !== undefined && !isSurelyNotSent(known.state)
    }
    const isRepeat = await mayBeSent()
    const { isTaken, isClosed } = await this.#state(who)
    const isText = typeof content === 'string' || content.kind !== 'template'
    if (!isRepeat && isText && isClosed) throw new OutsideWindow()
    const byPerson = { writer, seen: seen.message, saw: confirmed ? undefined : seen, takesOver: this.#takesOver() }
    return outbox
      .recordSend({ number, to, content, cause: APP_CAUSE, slot, byPerson })
      .catch(async (error: unknown) => {
        if (!isRepeat && !isTaken && !(await mayBeSent()) && (await this.#state(who)).isTaken)
          await customers.resume(who)
        throw error
      })
  }

  /** Gives the customer to a person for this time. The customer does not wait in the queue. */
  async takeOver(who: CustomerOfNumber, forMs: number): Promise<void> {
    const { clock, store } = this.#o
    const since = clock.service()
    await store.takeOver({ ...who, by: 'person', since, until: since + forMs, waits: false, now: clock.wall() })
  }

  /** Gives the chat to this person, so that the bot rests. */
  async take(who: CustomerOfNumber, person: string): Promise<void> {
    const { store, clock } = this.#o
    const { isTaken } = await this.#state(who)
    if (!isTaken) await this.takeOver(who, TAKEN_OVER_MS)
    await store.assign(who, person, { now: clock.wall() })
  }

  /**
   * Gives the customer back to the bot. `waiting`: the bot also answers the unanswered messages, as one burst, except
   * words that end or begin marketing. Resolves with the count of these messages.
   */
  async giveBack(who: CustomerOfNumber, by: string, answer: 'next' | 'waiting'): Promise<number> {
    const { store, saysOptOut, clock } = this.#o
    const messages = answer === 'next' ? [] : await store.unanswered(who)
    const ids = messages.filter(({ facts }) => !saysOptOut(facts)).map(({ id }) => id)
    return store.giveBack(who, ids, { by, at: clock.service(), now: clock.wall() })
  }

  #takesOver() {
    const { clock } = this.#o
    return { since: clock.service(), until: clock.service() + TAKEN_OVER_MS }
  }

  async #state({ number, customer }: CustomerOfNumber) {
    const { clock, store } = this.#o
    const now = clock.service()
    const { takenOver, lastInboundAt } = await store.customerOf(number, customer, now)
    return {
      isTaken: takenOver?.by === 'person' && isInForce(takenOver, now),
      isClosed: windowAt(lastInboundAt, now).open === false,
    }
  }
}
