import { z } from 'zod'
import type { Timers } from '../../base/clock.ts'

/** What is to happen later: after wall time has passed, or at once when the clock leaps past it. */
export interface Schedule {
  /** Resolves after `ms`, and rejects with `Cleared` where that is forgotten; for what ends with this process. */
  pause(ms: number): Promise<void>
  /** Performs a task once after `ms`, also in a state that was saved and restored meanwhile. */
  later(ms: number, task: Task): void
  /** Milliseconds that have passed for the schedule: wall time and all leaps forward. */
  elapsed(): number
  /** The clock went forward by `ms`: what became due runs now, in its order. */
  leap(ms: number): void
  /** Forgets all that is due later. */
  clear(): void
  save(): SavedSchedule
}

export type SavedSchedule = {
  readonly elapsed: number
  readonly tasks: readonly { readonly due: number; readonly task: Task }[]
}

export interface ScheduleParts {
  readonly timers: Timers
  readonly wall: () => number
  readonly perform: (task: Task) => void
}

interface Entry {
  readonly due: number
  readonly run: () => void
  readonly task?: Task
  /** Is called in its place where it is forgotten. */
  readonly forgotten?: () => void
  disarm: () => void
}

/** What was waited for is forgotten: a reset, a restore or the end. */
export class Cleared extends Error {}

/** As long as a timer can be; what is due later is looked at again then. */
const LONGEST_MS = 2 ** 31 - 1

export function createSchedule({ timers, wall, perform }: ScheduleParts, saved?: SavedSchedule): Schedule {
  const entries = new Set<Entry>()
  let leapt = saved === undefined ? 0 : saved.elapsed - wall()
  const elapsed = () => wall() + leapt

  const fire = (entry: Entry) => {
    if (entries.delete(entry)) entry.run()
  }
  const arm = (entry: Entry) => {
    const wait = Math.max(0, entry.due - elapsed())
    entry.disarm = timers.after(Math.min(wait, LONGEST_MS), () => (wait > LONGEST_MS ? arm(entry) : fire(entry)))
  }
  const add = (due: number, run: () => void, more: Pick<Entry, 'task' | 'forgotten'>) => {
    const entry: Entry = { due, run, disarm: () => {}, ...more }
    entries.add(entry)
    arm(entry)
  }
  for (const { due, task } of saved?.tasks ?? []) add(due, () => perform(task), { task })

  return {
    pause: (ms) =>
      new Promise((resolve, reject) => add(elapsed() + ms, resolve, { forgotten: () => reject(new Cleared()) })),
    later: (ms, task) => add(elapsed() + ms, () => perform(task), { task }),
    elapsed,
    leap(ms) {
      if (ms <= 0) return
      leapt += ms
      for (const entry of [...entries].sort((a, b) => a.due - b.due)) {
        if (!entries.has(entry)) continue
        entry.disarm()
        if (entry.due <= elapsed()) fire(entry)
        else arm(entry)
      }
    },
    clear() {
      const forgotten = [...entries]
      entries.clear()
      for (const entry of forgotten) {
        entry.disarm()
        entry.forgotten?.()
      }
    },
    save: () => ({
      elapsed: elapsed(),
      tasks: [...entries].flatMap(({ due, task }) => (task === undefined ? [] : [{ due, task }])),
    }),
  }
}

/** Something that is due later, as data: so it outlives a snapshot. */
export const taskSchema = z.discriminatedUnion('do', [
  /** A message comes a step further on its way to a handset. */
  z.strictObject({
    do: z.literal('progress'),
    customer: z.string(),
    messageId: z.string(),
    step: z.enum(['sent', 'delivered', 'expired']),
  }),
  /** The next attempt of a delivery. */
  z.strictObject({
    do: z.literal('attempt'),
    deliveryId: z.string(),
    retries: z.int().min(0),
    /** When its first attempt began, by the schedule's own time. */
    startedAt: z.number(),
  }),
  /** Deliveries that were held to be shuffled go out. */
  z.strictObject({ do: z.literal('release') }),
  /** The AI agent answers a customer. */
  z.strictObject({ do: z.literal('answer'), customer: z.string(), number: z.string() }),
])

export type Task = z.infer<typeof taskSchema>

export type TaskOf<Do extends Task['do']> = Extract<Task, { do: Do }>
