import { keyFrom } from '../../client/client.ts'
import type { Clock } from '../../base/clock.ts'
import type { Content, Template } from '../../service/content.ts'
import { APP_CAUSE, BY_PERSON, isSurelyNotSent } from '../../store/rules/sends.ts'
import type { Store } from '../../store/store.ts'
import type { CustomerOfNumber } from '../../store/types/types.ts'
import { type Customers, windowAt } from './customers.ts'
import type { Outbox } from './outbox.ts'
import { OutsideWindow, type SendResult } from './send.ts'

/** What a person writes at a help desk. It is no reply, so a take-over does not skip it. */
export interface WrittenByPerson {
  readonly content: Content | Template
  /** Made by the person's page for this message. Under one key a message is sent once. */
  readonly key: string
  /** The newest message of the customer that the person had before them: its row in the inbox. */
  readonly seen: number
}

export type WriteByPerson = (who: CustomerOfNumber, written: WrittenByPerson) => Promise<SendResult>

interface Deps {
  readonly store: Store
  readonly clock: Clock
  readonly outbox: Pick<Outbox, 'recordSend'>
  readonly customers: Pick<Customers, 'handOver' | 'resume'>
}

const TAKEN_OVER_MS = 24 * 60 * 60_000

/**
 * Sends what a person writes to a customer, and takes the customer over first. A repeat under the same key does neither:
 * it may arrive after the person has handed the customer back. If the message surely was not sent, the customer is given
 * back.
 *
 * @throws OutsideWindow, and what `recordSend` throws.
 */
export function createWriter({ store, clock, outbox, customers }: Deps): WriteByPerson {
  /** True if it took the customer over. */
  async function prepare(who: CustomerOfNumber, { content }: WrittenByPerson): Promise<boolean> {
    const now = clock.service()
    const { takenOver, lastInboundAt } = await store.customerOf(who.number, who.customer, now)
    const isTemplate = typeof content !== 'string' && content.kind === 'template'
    if (!isTemplate && windowAt(lastInboundAt, now).open === false) throw new OutsideWindow()
    if (takenOver?.by === 'person') return false
    await customers.handOver(who, TAKEN_OVER_MS)
    return true
  }

  return async (who, written) => {
    const { number, customer: to } = who
    const slot = `${BY_PERSON}${written.key}`
    const key = keyFrom(number, APP_CAUSE, slot)
    const mayBeSent = async () => {
      const known = await store.findSend({ key })
      return known !== undefined && !isSurelyNotSent(known.state)
    }
    const isRepeat = await mayBeSent()
    const tookOver = !isRepeat && (await prepare(who, written))
    const intent = { number, to, content: written.content, cause: APP_CAUSE, slot }
    const result = await outbox.recordSend(intent).catch(async (error: unknown) => {
      if (tookOver && !(await mayBeSent())) await customers.resume(who)
      throw error
    })
    // Also after a repeat: the process may have ended between the message and this.
    await store.markAnswered(who, written.seen)
    return result
  }
}
