import { savedAccount } from './model/account.ts'
import type { Collection, State } from './state.ts'
import type { Snapshot } from './snapshot.ts'

/** All but what there are many of. */
export type Head = Omit<Snapshot, Collection>

export function headOf(state: State): Head {
  // Read once: the clock's offset is to come back to the millisecond.
  const wall = state.clock.wall()
  return {
    version: 2,
    time: { now: wall + state.clock.offset, wall },
    random: state.random.save(),
    lastUlid: state.ids.save(),
    turn: { ...state.turn },
    assumptions: structuredClone(state.assumptions),
    account: savedAccount(state.account),
    agent: structuredClone(state.agent.save()),
    templates: [...state.templates.save()],
    subscriptions: [...state.subscriptions.save()],
    faults: [...state.faults.save()],
    schedule: { ...state.schedule.save(), tasks: [...state.schedule.save().tasks] },
  }
}

/** Everything that the emulated service knows, but for one-time codes and sends that are under way. */
export function snapshotOf(state: State): Snapshot {
  return {
    ...headOf(state),
    phones: [...state.phones.save()],
    keys: [...state.keys.save()],
    events: [...state.events.save()],
    deliveries: [...state.deliverer.save()],
  }
}

/** The snapshot as it is when its clock has run on since it was taken. */
export function runOn(snapshot: Snapshot, wall: number): Snapshot {
  const passed = Math.max(0, wall - snapshot.time.wall)
  const { time, schedule } = snapshot
  return {
    ...snapshot,
    time: { now: time.now + passed, wall: time.wall + passed },
    schedule: { ...schedule, elapsed: schedule.elapsed + passed },
  }
}
