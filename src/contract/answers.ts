import { z } from 'zod'

const maybe = z.string().nullish()

/**
 * The answer to a send. Only four members are always there (SEND-16); every other may be absent or null,
 * and unknown ones are kept. `status` comes in upper or lower case (SEND-17).
 */
export const messageSchema = z.looseObject({
  id: z.string().min(1),
  direction: z.string(),
  message_type: z.string(),
  created_at: z.string(),
  content: maybe,
  status: maybe,
  source: maybe,
  wa_message_id: maybe,
  media_url: maybe,
  media_mime_type: maybe,
  media_filename: maybe,
  media_duration_ms: z.number().nullish(),
  interactive: z.looseObject({}).nullish(),
  sent_at: maybe,
  delivered_at: maybe,
  read_at: maybe,
  played_at: maybe,
  failed_at: maybe,
  failure_reason: maybe,
  template_name: maybe,
  redacted: z.boolean().nullish(),
  referral: z.unknown().optional(),
})

export type MessageOut = z.infer<typeof messageSchema>

/** One template in one language. Branch on `sendable`, not on `status` (TPL-04). */
export const templateSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  language: z.string(),
  category: z.string(),
  status: z.string(),
  sendable: z.boolean(),
  unsendable_reason: z.string().nullable().default(null),
  components: z.array(z.looseObject({})).default([]),
  quality_score: maybe,
  approved_at: maybe,
  status_changed_at: maybe,
})

export type TemplateOut = z.infer<typeof templateSchema>

/** A page of templates, newest first; an absent `has_more` is false (TPL-02). */
export const templatesPageSchema = z.looseObject({
  items: z.array(templateSchema),
  next_cursor: z.string().nullable().default(null),
  has_more: z.boolean().default(false),
})

export type TemplatesPage = z.infer<typeof templatesPageSchema>
