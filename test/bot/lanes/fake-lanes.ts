import type { LaneRunnerDeps, LaneWork, Lane } from '../../../src/bot/lanes/runner.ts'
import { numbersWithShare, takeFrom } from '../../../src/store/work/share.ts'
import { AT_ONCE } from '../../../src/store/work/item-rules.ts'
import type { Claim, Claimed, Fence } from '../../../src/store/work/lanes.ts'
import { numberOf } from '../../../src/store/database/lane-names.ts'

/** Lanes in memory whose work ends when a test says so. */
export interface FakeLanes {
  readonly work: { -readonly [K in keyof LaneWork<string>]: LaneWork<string>[K] }
  readonly lease: LaneRunnerDeps<string>['lease'] & { fresh: boolean; current: string }
  readonly claims: Claim[]
  /** The running work, as `lane:work`, in the order of its beginning. */
  readonly running: string[]
  /** All work that ever ran. */
  readonly ran: string[]
  /** The lanes that the next claims find, with their work. */
  readonly waiting: Map<string, string[]>
  /** The due time of the next lane, in the result of the next claims. */
  nextAt: number | undefined
  /** Lanes that were released. */
  readonly released: string[]
  /** Lanes whose work failed, and is begun again later. */
  readonly putOff: string[]
  /** The database is away when failed work is to be put off, or what is marked as running is read. */
  away: boolean
  /** Thrown after each settlement. */
  afterwards: unknown
  /** What the store has marked as running, and what of it was freed. */
  marked: Fence[]
  readonly freed: Fence['of'][]
  /** Claims wait until this resolves. */
  gate: Promise<void>
  /** A claim is committed, and known to have taken its lanes, once this resolves. */
  commits: Promise<void>
  /** The answer to the end of a work is here once this resolves. */
  settlements: Promise<void>
  /** Ends a running work; its lane continues if it may. */
  end(running: string): Promise<void>
  fail(running: string, error: unknown): Promise<void>
}

export function fakeLanes(): FakeLanes {
  const ends = new Map<string, { resolve(): void; reject(error: unknown): void }>()
  let run = 0
  const lanes: FakeLanes = {
    claims: [],
    running: [],
    ran: [],
    waiting: new Map(),
    nextAt: undefined,
    released: [],
    putOff: [],
    away: false,
    afterwards: undefined,
    marked: [],
    freed: [],
    gate: Promise.resolve(),
    commits: Promise.resolve(),
    settlements: Promise.resolve(),
    lease: {
      fresh: true,
      current: 'one',
      get name() {
        return lanes.lease.current
      },
      isFresh: () => lanes.lease.fresh,
      freshen: (name) => name === lanes.lease.current,
      wasDeclaredDead: () => void (lanes.lease.current += "'"),
      others: undefined,
    },
    work: {
      async claim(claim: Claim): Promise<Claimed<string>> {
        lanes.claims.push(claim)
        await lanes.gate
        const full = claim.shared ? numbersWithShare(claim.shared) : []
        const take = takeFrom(claim.shared)
        const ready = [...lanes.waiting].filter(([lane]) => !full.includes(numberOf(lane)))
        const taken = ready.slice(0, claim.limit).filter(([lane]) => take(numberOf(lane)))
        await lanes.commits
        const begun = taken.map(([lane, work]) => {
          const first = work.shift() ?? ''
          lanes.waiting.delete(lane)
          rest.set(lane, work)
          const isFollowed = work.length > 0
          return { fence: { lane, of: ++run, owner: 1, run: 1 }, isFollowed, work: first }
        })
        return { begun, nextAt: ready.length > taken.length ? AT_ONCE : lanes.nextAt }
      },
      async run(fence: Fence, work: string, lane: Lane<string>): Promise<void> {
        const name = `${fence.lane}:${work}`
        lanes.running.push(name)
        lanes.ran.push(name)
        try {
          await new Promise<void>((resolve, reject) => ends.set(name, { resolve, reject }))
        } finally {
          lanes.running.splice(lanes.running.indexOf(name), 1)
        }
        const left = rest.get(fence.lane) ?? []
        const goOn = lane.keepsRoom()
        await lanes.settlements
        const next = goOn ? left.shift() : undefined
        if (next === undefined) {
          if (left.length > 0) lanes.waiting.set(fence.lane, left)
          lanes.released.push(fence.lane)
        }
        lane.settled(next === undefined ? next : { fence: { ...fence, of: ++run }, isFollowed: true, work: next })
        if (lanes.afterwards !== undefined) throw lanes.afterwards
      },
      async putOff({ fence }) {
        if (lanes.away) throw new Error('the database is away')
        lanes.putOff.push(fence.lane)
      },
      async marked() {
        if (lanes.away) throw new Error('the database is away')
        return lanes.marked
      },
      async free(runs) {
        lanes.freed.push(...runs.map(({ of }) => of))
        lanes.marked = []
      },
    },
    async end(running) {
      ends.get(running)?.resolve()
      await turn()
    },
    async fail(running, error) {
      ends.get(running)?.reject(error)
      await turn()
    },
  }
  const rest = new Map<string, string[]>()
  return lanes
}

/** Lets all promises settle that are ready in this turn of the event loop, or in the next one. */
export async function turn(): Promise<void> {
  for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve))
}
