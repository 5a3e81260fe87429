import { z } from 'zod'

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
