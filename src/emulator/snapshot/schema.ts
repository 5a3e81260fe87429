import { z } from 'zod'
import { savedAgentSchema } from '../agent/agent.ts'
import { savedDeliverySchema } from '../deliver/saved.ts'
import { savedEventSchema } from '../events/log.ts'
import { faultRuleSchema } from '../faults/rule.ts'
import { savedPhoneSchema } from '../phone/saved.ts'
import { savedAccountSchema } from '../service/account.ts'
import { savedKeySchema } from '../service/remembered.ts'
import { assumptionsSchema } from '../switches.ts'
import { savedTemplateSchema } from '../templates/templates.ts'
import { taskSchema } from '../time/task.ts'

const count = z.int().min(0)

/** One-time codes are in none; tokens and signing secrets are, so a snapshot is as secret as they. */
export const snapshotSchema = z.strictObject({
  /** Grows when an older emulator could not read it. */
  version: z.literal(1),
  /** By the emulator's clock and by this machine's, in milliseconds since the epoch. */
  time: z.strictObject({ now: z.number().min(Date.UTC(2000, 0)).max(Date.UTC(2200, 0)), wall: z.number() }),
  random: count,
  lastUlid: z.strictObject({ time: z.int().min(-1), chance: z.string().regex(/^([0-9A-HJKMNP-TV-Z]{16})?$/) }),
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
