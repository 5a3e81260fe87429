import { hash } from 'node:crypto'
import { findCustomer } from '../../../store/customers/customer.ts'
import type { CustomerOfNumber } from '../../../store/database/customer-tables.ts'
import { resume, takeOver } from './hand-over.ts'
import { type TakenOver, takenOverIn } from './taken-over.ts'
import { forgottenUpto } from '../../../store/customers/forgotten.ts'
import { assign, dismissGiven, type SeenBy, wroteNothingSince } from './queue.ts'
import type { WritingPerson } from '../../../store/outbox/rows.ts'
import { causeOfGivenBack } from '../../../store/work/item-rules.ts'
import { isInForce } from '../../../store/database/silence.ts'
import { sql } from '../../../store/database/sql.ts'
import { all, execute, one, type Steps, type Tx } from '../../../store/database/steps.ts'
import { openOutside, stand } from '../../../store/work/bundles.ts'
import { GATHERER } from '../../../store/work/gathering.ts'
import { contents, inbox } from '../../../store/database/inbox-tables.ts'
import { people } from './people-tables.ts'

interface Writing {
  readonly writer: string
  /** The newest inbox row of the customer that the person saw. */
  readonly seen: number
  /** The message is refused if the customer or another person has written since. Undefined: no check. */
  readonly saw?: SeenBy | undefined
  /** Service times of a take-over that begins if no person has the customer. */
  readonly takesOver: Pick<TakenOver, 'since' | 'until'>
}

/** Returns the checks and changes that belong to the commit that records a person's message. */
export function writtenBy(
  { number, customer }: CustomerOfNumber,
  { writer, seen, saw, takesOver }: Writing,
  now: number,
): WritingPerson {
  const who = { number, customer }
  return {
    writer,
    seen,
    onlyIf: saw && (() => wroteNothingSince(who, saw, writer)),
    *recorded() {
      const takenOver = takenOverIn(yield* findCustomer(who))
      if (takenOver?.by === 'person' && isInForce(takenOver, takesOver.since)) return
      yield* takeOver({ ...who, by: 'person', ...takesOver, waits: false, now })
    },
  }
}

export interface Unanswered {
  readonly id: number
  readonly at: number
  readonly cause: string
  readonly facts: string
}

/**
 * Lists messages that the bot did not handle, because a person had the customer, and that no person has answered. The
 * oldest is first. Forgotten and pruned messages are left out.
 */
export function* unanswered({ number, customer }: CustomerOfNumber): Steps<readonly Unanswered[]> {
  const known = yield* one<{ upto: number | null }>(sql`
    SELECT upto FROM ${people} WHERE number = ${number} AND customer = ${customer}`)
  const { items } = yield* forgottenUpto({ number, customer })
  return yield* all<Unanswered>(sql`
    SELECT i.id, i.at, i.cause, f.facts FROM ${inbox} i JOIN ${contents} f ON f.id = i.id
      JOIN ${contents} d ON d.id = coalesce(i.delivery, i.id)
    WHERE i.mark = 'rested' AND i.kind = 'message' AND i.number = ${number} AND i.customer = ${customer}
      AND i.id > ${Math.max(known?.upto ?? 0, items)} AND f.facts IS NOT NULL AND d.body IS NOT NULL
    ORDER BY i.at, i.id`)
}

/** The most messages that are given back to the bot, in one bundle: the newest. */
const MOST_GIVEN = 50

/**
 * Gives the customer back to the bot. `messages`: the unanswered messages that the bot must answer now. They become one
 * bundle in the same commit. Returns their count: 0 if an earlier call has given them back.
 */
export function* giveBack(
  tx: Tx,
  who: CustomerOfNumber,
  messages: readonly number[],
  o: { readonly by: string; readonly at: number; readonly now: number },
): Steps<number> {
  const members = (yield* unanswered(who)).filter(({ id }) => messages.includes(id)).slice(-MOST_GIVEN)
  yield* resume(who, o.at)
  yield* assign(who, undefined, { now: o.now })
  const last = members.at(-1)
  if (!last) return 0
  const lane = `${who.number}/${who.customer}`
  const bundle = members.length === 1 ? undefined : last.id
  const cause = causeOfGivenBack(hash('sha256', JSON.stringify(members.map(({ id, at }) => [id, at])), 'base64url'))
  // A burst that is being gathered ends now. The older one of the two bundles is handled first.
  if (GATHERER) yield* GATHERER.seal(lane, o.now)
  for (const { id, at } of members) {
    yield* execute(sql`UPDATE ${inbox} SET mark = NULL, bundle = ${bundle}, cause = ${cause} WHERE id = ${id}`)
    yield* openOutside({ item: id, lane, number: who.number, at, now: o.now, bundle, state: 'stored' })
  }
  yield* stand(last.id, members[0]?.at ?? last.at, lane, o.now)
  yield* dismissGiven(who, { by: o.by, upto: Math.max(...members.map(({ id }) => id)) }, o.now)
  tx.wake('items')
  return members.length
}
