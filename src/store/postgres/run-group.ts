import { type Query } from '../database/sql.ts'
import { type Rows, type Branch, SideBySide, type Steps } from '../database/steps.ts'
import type { Connection } from './connection.ts'
import { GroupedQuery } from '../database/statements.ts'

export type Ended = { readonly result: unknown } | undefined

export interface Member extends Branch {
  /** True if it is repeated, because it had assumed that a row is new, and the row existed. */
  readonly isRepeated?: boolean | undefined
}

/** For an insert, by its id: after how many successive round trips none of its rows existed before. */
export type NewInARow = Map<number, number>

/** From this count on, nobody waits for the insert's result. If a row exists, the group fails and is repeated. */
const NEW_AFTER = 20

interface Running {
  readonly index: number
  readonly member: Member
  readonly whole: Running | undefined
  nothingBefore: boolean
  branches: number
  followers: Running[] | undefined
  waitsFor: number
  steps: Steps<unknown> | undefined
  query: Query | undefined
  asked: number
}

/**
 * Runs operations with the result that they would have one after the other. Operations that share no key run side by
 * side, and their grouped statements run as one. `rest`: statements without an answer, which go out with the COMMIT. Of
 * operations that share a key, only the first may begin with such a statement: as one, two could write the same row.
 */
export async function runGroup(
  connection: Pick<Connection, 'ask'>,
  members: readonly Member[],
  { isFull, newInARow }: { readonly isFull: () => boolean; readonly newInARow: NewInARow },
): Promise<{ readonly ended: readonly Ended[]; readonly rest: readonly (readonly Query[])[] }> {
  const ended: Ended[] = Array.from({ length: members.length })
  let running: Running[] = []
  let unanswered: GroupedQuery[] = []
  let left = members.length
  /** Operations that follow others. They begin after those that follow none, so their statements are sent later. */
  let behind: Running[] | undefined = []

  function start(one: Running): void {
    one.steps = one.member.begin(one.nothingBefore)
    running.push(one)
    go(one)
  }
  function go(one: Running, answer?: Rows): void {
    const steps = one.steps as Steps<unknown>
    let step = answer ? steps.next(answer) : steps.next()
    for (let query; !step.done && (query = unwaited(one, step.value, newInARow)); step = steps.next(STORED))
      unanswered.push(query)
    one.query = step.done || step.value instanceof SideBySide ? undefined : step.value
    if (!step.done) {
      if (step.value instanceof SideBySide) branch(one, step.value)
      return
    }
    left--
    if (!one.whole) ended[one.index] = { result: step.value }
    if (one.followers && (one.whole || !isFull()))
      for (const follower of one.followers)
        if (--follower.waitsFor > 0) continue
        else if (behind) behind.push(follower)
        else start(follower)
    if (one.whole && --one.whole.branches === 0) go(one.whole, STORED)
  }
  function branch(whole: Running, { branches }: SideBySide): void {
    whole.branches = branches.length
    left += branches.length
    for (const one of inOrder(branches, whole).filter(({ waitsFor }) => waitsFor === 0)) start(one)
  }

  for (const one of inOrder(members).filter(({ waitsFor }) => waitsFor === 0)) {
    one.nothingBefore = true
    start(one)
  }
  const later = behind
  behind = undefined
  later.forEach(start)
  for (;;) {
    running = running.filter(({ query, branches }) => query ?? branches > 0)
    const asking = running.filter(({ query }) => query)
    const together = nextTogether(asking, left > running.length)
    const before = [...Map.groupBy(unanswered, ({ grouped }) => grouped?.id).values()]
    if (together.length === 0) return { ended, rest: before }
    unanswered = []
    const queries = together.map((some) => some.map(({ query }) => query as Query))
    const answers = (await connection.ask([...before, ...queries])).slice(before.length)
    together.forEach((some, nth) => {
      const query = some[0]?.query
      if (query instanceof GroupedQuery && query.grouped.isRarelyThere) {
        const areNew = answers[nth]?.every(({ changes }) => changes > 0) === true
        newInARow.set(query.grouped.id, areNew ? (newInARow.get(query.grouped.id) ?? 0) + 1 : 0)
      }
      some.forEach((one, index) => {
        one.asked++
        go(one, answers[nth]?.[index])
      })
    })
  }
}

const STORED: Rows = { rows: [], changes: 1 }

/** Returns the form of a statement that is sent with the next round trip; undefined if its result is needed. */
function unwaited({ nothingBefore, member }: Running, query: Query, newInARow: NewInARow): GroupedQuery | undefined {
  if (!(query instanceof GroupedQuery)) return undefined
  if (query.grouped.isUnanswered) return query
  if (!query.grouped.isRarelyThere) return undefined
  const isNew = nothingBefore && member.isRepeated !== true && (newInARow.get(query.grouped.id) ?? 0) >= NEW_AFTER
  return isNew ? query.asNew() : undefined
}

/**
 * Orders operations. Each waits for the last operation before it that has one of its keys. An operation without keys
 * waits for all before it, and all later ones wait for it.
 */
function inOrder(members: readonly Member[], whole?: Running): readonly Running[] {
  const last = new Map<string, Running>()
  let alone: Running | undefined
  let since: Running[] = []
  return members.map((member, index) => {
    const one: Running = {
      index,
      member,
      whole,
      nothingBefore: false,
      branches: 0,
      followers: undefined,
      waitsFor: 0,
      steps: undefined,
      query: undefined,
      asked: 0,
    }
    const follow = (other: Running | undefined) => {
      // An operation that shares two keys with another waits for it once.
      if (!other || other.followers?.at(-1) === one) return
      ;(other.followers ??= []).push(one)
      one.waitsFor++
    }
    follow(alone)
    if (member.keys) {
      for (const key of member.keys) {
        const other = last.get(key)
        if (other !== one) follow(other)
        last.set(key, one)
      }
      since.push(one)
    } else {
      since.forEach(follow)
      last.clear()
      since = []
      alone = one
    }
    return one
  })
}

/**
 * Chooses the statements of the next round trip. A statement that is not grouped always goes. A grouped statement goes
 * if its operation has run the fewest statements: the others wait until that operation yields the same statement, which
 * then runs once for all. `someWait`: operations wait for a key. Then only one grouped statement goes, so that they can
 * still join the other ones.
 */
function nextTogether(running: readonly Running[], someWait: boolean): readonly (readonly Running[])[] {
  const single: Running[][] = []
  const grouped = new Map<number, Running[]>()
  let least = Infinity
  for (const one of running) {
    const id = one.query instanceof GroupedQuery ? one.query.grouped.id : undefined
    if (id === undefined) single.push([one])
    else if (one.asked <= least) {
      if (one.asked < least) grouped.clear()
      least = one.asked
      const same = grouped.get(id)
      if (same) same.push(one)
      else grouped.set(id, [one])
    }
  }
  const groups = [...grouped.values()]
  return [...single, ...(someWait ? groups.slice(0, 1) : groups)]
}
