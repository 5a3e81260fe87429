import { z } from 'zod'
import { messageSchema, type MessageOut } from '../../contract/index.ts'
import { RECIPIENT_FORM } from '../../contract/limits.ts'
import { moment } from '../time/bounds.ts'
import type { ThreadItem } from './thread.ts'

const choice = z.looseObject({ id: z.string(), title: z.string() })

/** As far as the phone itself reads it; all else is only shown. */
const interactiveSchema = z.looseObject({
  type: z.string(),
  buttons: z.array(choice).optional(),
  sections: z.array(z.looseObject({ rows: z.array(choice.extend({ description: z.string().nullable() })) })).optional(),
})

const itemSchema = z.looseObject({
  id: z.string(),
  direction: z.enum(['INBOUND', 'OUTBOUND']),
  kind: z.string(),
  text: z.string().nullable(),
  content: z.string().nullable(),
  status: z.string().nullable(),
  at: z.iso.datetime(),
  by: z.enum(['agent', 'dashboard']).optional(),
  template: z.looseObject({ name: z.string(), language: z.string(), components: z.array(z.unknown()) }).optional(),
  quickReplies: z.array(z.looseObject({ payload: z.string(), title: z.string() })).optional(),
  interactive: interactiveSchema.optional(),
})

export const handsetSchema = z.strictObject({
  /** Whether messages reach it. Those that come meanwhile are delivered when it is back. */
  online: z.boolean(),
  /** Whether the business is told that its messages were read or played. */
  receipts: z.boolean(),
  /** Whether the customer has blocked the business: then every message fails. */
  blocked: z.boolean(),
})

export type Handset = z.infer<typeof handsetSchema>

/** A phone as a snapshot holds it: without its one-time codes, which live in memory alone (OTP-06). */
export const savedPhoneSchema = z.strictObject({
  customer: z.string().regex(RECIPIENT_FORM),
  thread: z.array(itemSchema as unknown as z.ZodType<ThreadItem>),
  sent: z.array(
    z.strictObject({
      number: z.string(),
      message: z.custom<MessageOut>(isMessage, 'must be a message'),
      waiting: z.boolean(),
    }),
  ),
  lastInboundAt: z.record(z.string(), moment),
  handset: handsetSchema,
})

export type SavedPhone = z.infer<typeof savedPhoneSchema>

/** Taken as it is: what was sent must be told in the same words, in the order in which they stood. */
function isMessage(value: unknown): boolean {
  const read = messageSchema.safeParse(value)
  return read.success && z.iso.datetime().safeParse(read.data.created_at).success
}
