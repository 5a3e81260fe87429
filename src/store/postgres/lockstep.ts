import { type Query } from '../statements/sql.ts'
import { type Answer, type Part, SideBySide, type Steps } from '../steps.ts'
import type { Session } from './session.ts'
import { HotQuery } from '../statements/statements.ts'

export type Ended = { readonly result: unknown } | undefined

interface Running {
  readonly index: number
  readonly member: Part
  readonly whole: Running | undefined
  parts: number
  followers: Running[] | undefined
  waitsFor: number
  steps: Steps<unknown> | undefined
  query: Query | undefined
  asked: number
}

/**
 * As if one ran after the other. Those that share no key with an earlier one run side by side, their hot statements as one.
 * `rest`: statements without an answer that go out with the COMMIT. No operation begins with one: so no statement has a row
 * twice.
 */
export async function inLockstep(
  session: Pick<Session, 'ask'>,
  members: readonly Part[],
  isFull: () => boolean,
): Promise<{ readonly ended: readonly Ended[]; readonly rest: readonly (readonly Query[])[] }> {
  const ended: Ended[] = Array.from({ length: members.length })
  let running: Running[] = []
  let unanswered: HotQuery[] = []
  let left = members.length

  function start(one: Running): void {
    one.steps = one.member.begin()
    running.push(one)
    go(one)
  }
  function go(one: Running, answer?: Answer): void {
    const steps = one.steps as Steps<unknown>
    let step = answer ? steps.next(answer) : steps.next()
    while (!step.done && step.value instanceof HotQuery && step.value.hot.isUnanswered) {
      unanswered.push(step.value)
      step = steps.next(STORED)
    }
    one.query = step.done || step.value instanceof SideBySide ? undefined : step.value
    if (!step.done) {
      if (step.value instanceof SideBySide) part(one, step.value)
      return
    }
    left--
    if (!one.whole) ended[one.index] = { result: step.value }
    if (one.followers && (one.whole || !isFull()))
      for (const follower of one.followers) if (--follower.waitsFor === 0) start(follower)
    if (one.whole && --one.whole.parts === 0) go(one.whole, STORED)
  }
  function part(whole: Running, { parts }: SideBySide): void {
    whole.parts = parts.length
    left += parts.length
    for (const one of inOrder(parts, whole).filter(({ waitsFor }) => waitsFor === 0)) start(one)
  }

  for (const one of inOrder(members).filter(({ waitsFor }) => waitsFor === 0)) start(one)
  for (;;) {
    running = running.filter(({ query, parts }) => query ?? parts > 0)
    const asking = running.filter(({ query }) => query)
    const together = nextTogether(asking, left > running.length)
    const before = [...Map.groupBy(unanswered, ({ hot }) => hot?.id).values()]
    if (together.length === 0) return { ended, rest: before }
    unanswered = []
    const queries = together.map((some) => some.map(({ query }) => query as Query))
    const answers = (await session.ask([...before, ...queries])).slice(before.length)
    together.forEach((some, nth) => {
      some.forEach((one, index) => {
        one.asked++
        go(one, answers[nth]?.[index])
      })
    })
  }
}

const STORED: Answer = { rows: [], changes: 1 }

/** Each waits for the last one before it of each of its keys; one without keys for all before it, and all behind it for that. */
function inOrder(members: readonly Part[], whole?: Running): readonly Running[] {
  const last = new Map<string, Running>()
  let alone: Running | undefined
  let since: Running[] = []
  return members.map((member, index) => {
    const one: Running = {
      index,
      member,
      whole,
      parts: 0,
      followers: undefined,
      waitsFor: 0,
      steps: undefined,
      query: undefined,
      asked: 0,
    }
    const follow = (other: Running | undefined) => {
      // One that shares two keys with it waits for it once.
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
 * A hot statement of those who have asked most waits until the others have come as far, so that it runs once for all. While
 * operations wait for others to end, one is asked at a time: those that begin behind it come along.
 */
function nextTogether(running: readonly Running[], someWait: boolean): readonly (readonly Running[])[] {
  const cold: Running[][] = []
  const hot = new Map<number, Running[]>()
  let least = Infinity
  for (const one of running) {
    const id = one.query instanceof HotQuery ? one.query.hot.id : undefined
    if (id === undefined) cold.push([one])
    else if (one.asked <= least) {
      if (one.asked < least) hot.clear()
      least = one.asked
      const same = hot.get(id)
      if (same) same.push(one)
      else hot.set(id, [one])
    }
  }
  const groups = [...hot.values()]
  return [...cold, ...(someWait ? groups.slice(0, 1) : groups)]
}
