import type { BeginningSend, Fence, NewSend, OpenedSend } from '../../port/index.ts'
import { isGoingOut, type Opening, openingOf } from '../../rules/sends.ts'
import { makeHeldLane, stands, wakeLane } from '../lanes/lanes.ts'
import { one, run, sql, type Steps, type Tx } from '../steps.ts'
import { askedDigest, insertSend, reopenSend } from './record-send.ts'
import { cameBack } from './restored.ts'
import { sendFacts } from './send-facts.ts'
import { findRow, type Row, sendOf, shown } from './sends.ts'
import { awaitedIfGoingOut, begunRow, openedSend, startingRow } from './starting-send.ts'

/** Records a send under its key, and begins it if nothing keeps it waiting: see `Store.openSend`. */
export function* openSend(
  tx: Tx,
  send: NewSend,
  { fence, begin }: { fence?: Fence | undefined; begin?: BeginningSend | undefined } = {},
): Steps<OpenedSend | undefined> {
  const lookedUp = yield* lookUp(send, fence)
  if (!lookedUp.held) return undefined
  const known = lookedUp.known ? yield* findRow({ key: send.key }) : undefined
  const opening = openingUnder(known, send)
  if (opening.found === 'known') return yield* recall(known as Row, opening, send)

  const facts = yield* sendFacts(send)
  const row = awaitedIfGoingOut(startingRow(send, facts, Boolean(lookedUp.came_back), known), facts)
  const mayGoOut = begin && !lookedUp.busy && tx.newerSchema() === undefined
  const begun = mayGoOut ? begunRow(row, facts, begin) : undefined
  yield* known ? reopenSend(begun ?? row) : insertSend(begun ?? row)
  if (begin && begun) {
    const { owner, now, leaseMs } = begin
    const taken = yield* makeHeldLane(send.lane, 'send', { owner, now, until: now + tx.waitedMs + leaseMs })
    return openedSend(begun, facts, opening.found, taken)
  }
  if (row.state === 'ready') yield* wakeLane(tx, send.lane, 'send', send.createdAt)
  return openedSend(row, facts, opening.found, undefined)
}

/**
 * Records a send that is to go out later, in a transaction that may stay open for long: no row that others write is
 * touched, neither its lane nor a send that may be under way.
 */
export function* openSendLater(send: NewSend): Steps<OpenedSend> {
  const known = yield* findRow({ key: send.key })
  const opening = openingUnder(known, send)
  if (opening.found === 'known') return { send: yield* shown(known as Row), found: 'known', diverged: opening.diverged }
  const facts = yield* sendFacts(send)
  const row = startingRow(send, facts, false, known)
  yield* known ? reopenSend(row) : insertSend(row)
  return { send: sendOf(row, undefined), found: opening.found, diverged: false }
}

function openingUnder(known: Row | undefined, send: NewSend): Opening {
  const asked = { customer: send.customer, body: send.body, askedDigest: askedDigest(send) }
  return openingOf(asked, known && { ...known, askedDigest: known.asked ?? undefined })
}

/**
 * The answers of the tables about a send that is to be recorded: the fence stands (`held`), a send lies under its key
 * (`known`), its lane has a row (`busy`), and the delivery that it answers came back with a backup. Each is 1 or 0, or
 * true or false, as the engine has conditions.
 */
interface LookedUp {
  readonly held: unknown
  readonly known: unknown
  readonly busy: unknown
  readonly came_back: unknown
}

/** Looks for the rows on which a send depends. Its lane has one while something waits in it or somebody works on it. */
function* lookUp(send: NewSend, fence: Fence | undefined): Steps<LookedUp> {
  const lookedUp = yield* one<LookedUp>(sql`
    SELECT ${fence ? stands(fence) : sql`1`} AS held, ${fence ? cameBack(fence.lane, send) : sql`0`} AS came_back,
      EXISTS (SELECT 1 FROM sends WHERE key = ${send.key}) AS known,
      EXISTS (SELECT 1 FROM lanes WHERE key = ${send.lane}) AS busy`)
  return lookedUp as LookedUp
}

function* recall(
  known: Row,
  { diverged, marks }: Extract<Opening, { found: 'known' }>,
  { awaitedUntil }: NewSend,
): Steps<OpenedSend> {
  const send = yield* shown(known)
  if (awaitedUntil !== undefined && isGoingOut(send.state))
    yield* run(sql`
      UPDATE sends SET awaited_until = greatest(coalesce(awaited_until, 0), ${awaitedUntil}) WHERE id = ${known.id}`)
  if (marks) yield* run(sql`UPDATE sends SET diverged = 1 WHERE id = ${known.id}`)
  return { send: { ...send, diverged: marks || send.diverged }, found: 'known', diverged }
}
