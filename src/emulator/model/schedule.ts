import { z } from 'zod'
import type { Timers } from '../../base/clock.ts'

/** Work that is due later, as plain data, so that a snapshot can hold it. */
export const taskSchema = z.discriminatedUnion('do', [
  /** A message takes the next step on its way to a handset. */
  z.strictObject({
    do: z.literal('progress'),
    customer: z.string(),
    messageId: z.string(),
    step: z.enum(['sent', 'delivered', 'expired']),
  }),
  z.strictObject({
    do: z.literal('attempt'),
    deliveryId: z.string(),
    retries: z.int().min(0),
    /** When the first attempt began, by the schedule's own time. */
    startedAt: z.number(),
  }),
  /** Deliveries that a fault held back go out. */
  z.strictObject({ do: z.literal('release') }),
  /** The AI agent answers a customer. */
  z.strictObject({ do: z.literal('answer'), customer: z.string(), number: z.string() }),
])

export type Task = z.infer<typeof taskSchema>

export type TaskOf<Do extends Task['do']> = Extract<Task, { do: Do }>

/** Runs tasks later: after wall time has passed, or at once when the clock leaps past their time. */
export interface Schedule {
  /** Resolves after `ms`; rejects with `Cleared` if the schedule is cleared first. A pause is in no snapshot. */
  pause(ms: number): Promise<void>
  /** Performs a task once after `ms`, also in a state that was saved and restored meanwhile. */
  later(ms: number, task: Task): void
  /** The schedule's own time in milliseconds: wall time and all leaps forward. */
  elapsed(): number
  /** Runs what is due after the clock went forward by `ms`, in the order of its times. */
  leap(ms: number): void
  /** Performs the tasks that fit now, in the order in which they are due; answers how many. */
  hasten(fits: (task: Task) => boolean): number
  clear(): void
  save(): SavedSchedule
}

export type SavedSchedule = {
  readonly elapsed: number
  readonly tasks: readonly { readonly due: number; readonly task: Task }[]
}

interface ScheduleDeps {
  readonly timers: Timers
  readonly wall: () => number
  readonly perform: (task: Task) => void
}

interface Entry {
  readonly due: number
  readonly run: () => void
  readonly task?: Task
  /** Runs instead of `run` if the schedule is cleared. */
  readonly onCleared?: () => void
  disarm: () => void
}

/** The schedule was cleared by a reset, a restore or the end of the emulator. */
export class Cleared extends Error {}

/** The longest timer that Node has; entries that are due later are armed again when it ends. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export function createSchedule({ timers, wall, perform }: ScheduleDeps, saved?: SavedSchedule): Schedule {
  const entries = new Set<Entry>()
  let leapt = saved === undefined ? 0 : saved.elapsed - wall()
  const elapsed = () => wall() + leapt

  const fire = (entry: Entry) => {
    if (entries.delete(entry)) entry.run()
  }
  const arm = (entry: Entry) => {
    const wait = Math.max(0, entry.due - elapsed())
    const isTooLong = wait > LONGEST_TIMER_MS
    entry.disarm = timers.after(Math.min(wait, LONGEST_TIMER_MS), () => (isTooLong ? arm(entry) : fire(entry)))
  }
  const add = (due: number, run: () => void, more: Pick<Entry, 'task' | 'onCleared'>) => {
    const entry: Entry = { due, run, disarm: () => {}, ...more }
    entries.add(entry)
    arm(entry)
  }
  for (const { due, task } of saved?.tasks ?? []) add(due, () => perform(task), { task })

  return {
    pause: (ms) =>
      new Promise((resolve, reject) => add(elapsed() + ms, resolve, { onCleared: () => reject(new Cleared()) })),
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
    hasten(fits) {
      const hastened = [...entries].filter(({ task }) => task && fits(task)).sort((a, b) => a.due - b.due)
      for (const entry of hastened) {
        entry.disarm()
        fire(entry)
      }
      return hastened.length
    },
    clear() {
      const cleared = [...entries]
      entries.clear()
      for (const entry of cleared) {
        entry.disarm()
        entry.onCleared?.()
      }
    },
    save: () => ({
      elapsed: elapsed(),
      tasks: [...entries].flatMap(({ due, task }) => (task === undefined ? [] : [{ due, task }])),
    }),
  }
}
