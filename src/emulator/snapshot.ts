import { z } from 'zod'
import { savedDeliverySchema } from './deliver/history.ts'
import { savedEventSchema } from './events/log.ts'
import { savedAccountSchema } from './model/account.ts'
import { savedAgentSchema } from './model/agent.ts'
import { assumptionsSchema } from './model/assumptions.ts'
import { EARLIEST_MS, LATEST_MS, moment } from './model/clock.ts'
import { faultRuleSchema } from './model/fault-rules.ts'
import { savedKeySchema } from './model/key-record.ts'
import { savedPhoneSchema } from './model/phones.ts'
import { taskSchema } from './model/schedule.ts'
import { savedTemplateSchema } from './model/templates.ts'

const count = z.int().min(0)

/** A ULID that another can follow. */
const ulidSchema = z.strictObject({
  time: moment.int(),
  chance: z.string().regex(/^(?!Z{16})[0-9A-HJKMNP-TV-Z]{16}$/),
})

/** The form of a snapshot. It holds no one-time codes, but tokens and signing secrets, and is as secret as they are. */
export const snapshotSchema = z.strictObject({
  /** Raised if an older emulator could not read the snapshot. */
  version: z.literal(2, 'is another one than this emulator reads and writes'),
  /** By the emulator's clock and by this machine's, in milliseconds since the epoch. */
  time: z.strictObject({ now: z.number().min(EARLIEST_MS).max(LATEST_MS), wall: moment }),
  random: count,
  lastUlid: z.union([z.strictObject({ time: z.literal(-1), chance: z.literal('') }), ulidSchema]),
  turn: z.strictObject({ received: count, status: count, declared: count, case: count }),
  assumptions: assumptionsSchema,
  account: savedAccountSchema,
  agent: savedAgentSchema,
  templates: z.array(savedTemplateSchema),
  subscriptions: z.array(
    z.strictObject({
      id: z.string(),
      url: z.url({ protocol: /^https?$/ }),
      secret: z.string().min(1),
      state: z.enum(['active', 'disabled']),
      failures: count,
    }),
  ),
  faults: z.array(z.strictObject({ rule: faultRuleSchema, left: count.nullable(), seen: count })),
  schedule: z.strictObject({
    elapsed: z.number(),
    tasks: z.array(z.strictObject({ due: z.number(), task: taskSchema })),
  }),
  phones: z.array(savedPhoneSchema),
  keys: z.array(savedKeySchema),
  events: z.array(savedEventSchema),
  deliveries: z.array(savedDeliverySchema),
})

export type Snapshot = z.infer<typeof snapshotSchema>

/** The snapshot as of a later wall time, with its clock run on. */
export function advanceSnapshot(snapshot: Snapshot, wall: number): Snapshot {
  const passed = Math.max(0, wall - snapshot.time.wall)
  const { time, schedule } = snapshot
  return {
    ...snapshot,
    time: { now: time.now + passed, wall: time.wall + passed },
    schedule: { ...schedule, elapsed: schedule.elapsed + passed },
  }
}
