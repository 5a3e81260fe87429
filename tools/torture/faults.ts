/** Has a plan's faults happen, one after another, and remembers when. */
import type { Emulator } from 'switchhook/emulator'
import type { Fault, Who } from './decks.ts'
import type { Ground } from './ground.ts'
import type { Plan } from './plan.ts'
import type { App } from './processes.ts'
import type { Traffic } from './traffic.ts'

/** A fault that happened; times are real. */
export interface Moment {
  readonly fault: Fault
  readonly from: number
  /** The moment at which all that the fault had broken is whole again. */
  readonly until: number
  /** The processes that it ended, stopped or kept from the database. */
  readonly pids: readonly number[]
}

export interface World {
  readonly plan: Plan
  readonly traffic: Traffic
  readonly emulator: Emulator
  readonly ground: Ground<Fault>
  app(who: Who): App
  /** Starts a process in the place of one that has ended. */
  restart(who: Who): Promise<void>
  /** Sets the wall clock of one process, or of all. */
  setClock(ahead: number, who?: Who): Promise<void>
}

/** They last, and meanwhile other faults happen to other processes. */
const LASTING: ReadonlySet<Fault['kind']> = new Set(['freeze', 'part', 'stand', 'suspend'])

/** Resolves when all that the traffic lasted for have happened. */
export async function strikeAll(world: World): Promise<Moment[]> {
  const moments: Moment[] = []
  const lasting = new Map<Who, Promise<void>>()
  for (const { after, fault } of world.plan.faults) {
    if (!(await world.traffic.reaches(after))) break
    for (const who of victimsOf(fault)) await lasting.get(who)
    const from = Date.now()
    const struck = strike(fault, world).then((pids) => void moments.push({ fault, from, until: Date.now(), pids }))
    if (!LASTING.has(fault.kind)) await struck
    else for (const who of victimsOf(fault)) lasting.set(who, struck)
  }
  await Promise.all(lasting.values())
  await world.emulator.faults.clear()
  await world.emulator.assumptions.set({ upstreamMs: 0 })
  return moments
}

function victimsOf(fault: Fault): readonly Who[] {
  return 'who' in fault && fault.who !== undefined ? [fault.who].flat() : []
}

/** Resolves with the processes that the fault ended or stopped, once what it broke is whole again. */
async function strike(fault: Fault, world: World): Promise<readonly number[]> {
  const { emulator } = world
  if (!LASTING.has(fault.kind))
    await emulator.assumptions.set({ upstreamMs: fault.kind === 'slow' ? fault.upstreamMs : 0 })
  switch (fault.kind) {
    case 'kill':
      return end(fault.who, 'SIGKILL', world)
    case 'stop':
      return end([fault.who], 'SIGTERM', world)
    case 'die': {
      const app = world.app(fault.who)
      app.order({ do: 'die', at: fault.at, passage: fault.passage })
      // Without traffic it may never pass there again.
      await Promise.race([app.ended, world.traffic.done])
      return end([fault.who], 'SIGKILL', world)
    }
    case 'clock':
      await world.setClock(fault.ahead, fault.who)
      return []
    case 'service':
      await emulator.faults.set([fault.rule])
      return []
    case 'slow':
      return []
    default:
      return world.ground.strike(fault, world)
  }
}

async function end(all: readonly Who[], signal: 'SIGKILL' | 'SIGTERM', { app, restart }: World): Promise<number[]> {
  const ended = all.map(app)
  await Promise.all(ended.map((one) => one.end(signal)))
  await Promise.all(all.map(restart))
  return ended.map(({ pid }) => pid)
}
