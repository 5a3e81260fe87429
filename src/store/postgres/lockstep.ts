import type { Answer, Query, Steps } from '../steps.ts'
import type { Session } from './session.ts'

/** An operation of a group. */
export interface Member {
  begin(): Steps<unknown>
  /** What it reads and writes: see `Engine`. Undefined: it runs alone. */
  readonly keys: readonly string[] | undefined
}

/** Undefined: time was up, and the operation has not begun. */
export type Ended = { readonly result: unknown } | undefined

interface Running {
  readonly index: number
  readonly member: Member
  readonly followers: Running[]
  /** Earlier operations that share a key with it, and have not ended. */
  waitsFor: number
  steps: Steps<unknown> | undefined
  query: Query | undefined
  asked: number
}

/**
 * Runs the operations of a group as if one ran after the other. Those that share no key with an earlier one that has not ended
 * run side by side: where several of them ask the same hot statement, it runs once for all of them.
 */
export async function inLockstep(
  session: Pick<Session, 'ask'>,
  members: readonly Member[],
  isFull: () => boolean,
): Promise<readonly Ended[]> {
  const ended: Ended[] = Array.from({ length: members.length })
  const running = new Set<Running>()
  let left = members.length

  function go(one: Running, step: IteratorResult<Query, unknown>): void {
    if (!step.done) {
      running.add(one)
      one.query = step.value
      return
    }
    ended[one.index] = { result: step.value }
    running.delete(one)
    left--
    if (!isFull()) for (const follower of one.followers) if (--follower.waitsFor === 0) start(follower)
  }
  function start(one: Running): void {
    one.steps = one.member.begin()
    go(one, one.steps.next())
  }

  for (const one of inOrder(members).filter(({ waitsFor }) => waitsFor === 0)) start(one)
  while (running.size > 0) {
    const together = nextOf([...running], left > running.size)
    const answers = await session.ask(together.map((some) => some.map(({ query }) => query as Query)))
    together.forEach((some, nth) => {
      some.forEach((one, index) => {
        one.asked++
        go(one, (one.steps as Steps<unknown>).next(answers[nth]?.[index] as Answer))
      })
    })
  }
  return ended
}

/** Each waits for the last one before it of each of its keys; one without keys for all before it, and all behind it for that. */
function inOrder(members: readonly Member[]): readonly Running[] {
  let last = new Map<string, Running>()
  let alone: Running | undefined
  let since: Running[] = []
  return members.map((member, index) => {
    const one: Running = { index, member, followers: [], waitsFor: 0, steps: undefined, query: undefined, asked: 0 }
    const before = new Set<Running>(alone && [alone])
    if (member.keys === undefined) {
      for (const other of since) before.add(other)
      alone = one
      last = new Map()
      since = []
    } else {
      since.push(one)
      for (const key of new Set(member.keys)) {
        const holder = last.get(key)
        if (holder) before.add(holder)
        last.set(key, one)
      }
    }
    one.waitsFor = before.size
    for (const other of before) other.followers.push(one)
    return one
  })
}

/**
 * The statements that are asked next, by those who ask the same one. A hot statement of those who have asked most waits until
 * the others have come as far, so that it runs once for all. While operations wait for others to end, one hot statement is
 * asked at a time: those that can begin behind it come along.
 */
function nextOf(running: readonly Running[], someWait: boolean): readonly (readonly Running[])[] {
  const cold = running.filter(({ query }) => !query?.hot).map((one) => [one])
  const hot = running.filter(({ query }) => query?.hot)
  const least = hot.reduce((fewest, { asked }) => Math.min(fewest, asked), Infinity)
  const level = hot.filter(({ asked }) => asked === least)
  const groups = [...Map.groupBy(level, ({ query }) => query?.hot?.id).values()]
  return [...cold, ...(someWait ? groups.slice(0, 1) : groups)]
}
