import { PENDING } from '../../operations/turns/item-turns.ts'
import { newFence } from '../../operations/lanes/lanes.ts'
import type { Claim, Claimed, Held, StartedItem } from '../../port/index.ts'
import { AT_ONCE } from '../../rules/lanes.ts'
import type { HotTx } from '../transaction.ts'
import { BEGIN, type BegunRow, CHOOSE, CHOOSE_IN_TURNS, type ChosenRow } from './claim-items-statements.ts'
import { type HotStatement, ODD } from './hot.ts'
import { startedFrom } from './started.ts'

/**
 * Takes lanes that are ready, and begins an item in each. Lanes that come due are odd, and so is one with a suspect
 * as long as one may begin.
 */
export const claimAll: HotStatement<Claim, Claimed<StartedItem>> = {
  name: 'claimItems',
  keysOf: () => [],
  async run(tx, group, waited) {
    const answers: (Claimed<StartedItem> | typeof ODD)[] = []
    for (const [index, claim] of group.entries()) answers.push(await claimOne(tx, claim, waited(index)))
    return answers
  },
}

async function claimOne(tx: HotTx, claim: Claim, waitedMs: number): Promise<Claimed<StartedItem> | typeof ODD> {
  const { room } = claim
  const free = room?.free?.() ?? claim.limit
  // Settlements of this process that began before may have taken all the room.
  if (free <= 0 && claim.limit > 0) return { held: [], nextAt: AT_ONCE }
  // A claim of nothing puts what has come due in its place.
  const limit = Math.min(claim.limit, free)
  const chosen = await choose(tx, claim, limit)
  const [all] = chosen as readonly [ChosenRow]
  if (all.pending) return PENDING
  if (all.due || chosen.some(({ key, odd }) => key !== null && odd)) return ODD
  const found = chosen.filter(({ key }) => key !== null)
  const taken = found.filter(({ number }) => room?.take(number) !== false)
  const held = taken.length > 0 ? await begin(tx, claim, taken, waitedMs) : []
  // Lanes that others have locked may be ready still, and those that found no room are.
  const more = all.ready > taken.length
  return { held, nextAt: more ? AT_ONCE : (all.next_at ?? undefined) }
}

/** The numbers of a bot with several have their turns, from the one that was served last. */
async function choose(
  tx: HotTx,
  { now, serviceNow = now, holding = [], room, after, suspects = true, unlessPending }: Claim,
  limit: number,
): Promise<readonly ChosenRow[]> {
  const full = room?.full?.() ?? []
  const given = [limit, now, serviceNow, holding, full, suspects ? 0 : 1, unlessPending ? 1 : 0]
  const chosen = after === undefined ? await tx.rows<ChosenRow>(CHOOSE, given) : []
  const inTurns = after !== undefined || chosen.some(({ several }) => several)
  return inTurns ? tx.rows(CHOOSE_IN_TURNS, [...given, after ?? '']) : chosen
}

async function begin(
  tx: HotTx,
  { owner, now, leaseMs, room }: Claim,
  taken: readonly ChosenRow[],
  waitedMs: number,
): Promise<readonly Held<StartedItem>[]> {
  const chosen = [taken.map(({ key }) => key), taken.map(({ place }) => place), taken.map(({ item }) => item)]
  const { token } = newFence('', owner)
  let rows: readonly BegunRow[] = []
  try {
    rows = await tx.rows<BegunRow>(BEGIN, [...chosen, now + waitedMs + leaseMs, owner, token])
  } finally {
    const begun = new Set(rows.map(({ lane }) => lane))
    for (const { key, number } of taken) if (key === null || !begun.has(key)) room?.give(number)
  }
  const works = await startedFrom(tx, rows)
  return rows.map(({ lane }, index) => ({ fence: { lane, owner, token }, work: works[index] as StartedItem }))
}
