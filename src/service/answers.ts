import { z } from 'zod'

const maybe = z.string().nullish()

/**
 * The answer to a send. Only four members are always present (SEND-16). Every other may be absent or null, and unknown
 * ones are kept. `status` is in upper or lower case (SEND-17).
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

/**
 * Reads a page of templates; undefined if the value is not one. A row with a missing or odd member does not affect
 * other rows (TPL-08). Its missing texts are empty, and it is not sendable if it lacks its name, its language or
 * `sendable`. Values that are not objects are left out.
 *
 *     const page = readTemplatesPage(await response.json())
 */
export function readTemplatesPage(json: unknown): TemplatesPage | undefined {
  return pageSchema.safeParse(json).data
}

const text = z.union([z.string(), z.number().transform(String)]).catch('')
const stringOrNull = z.string().nullish().catch(null)

const rowSchema = z
  .looseObject({
    id: text,
    name: text,
    language: text,
    category: text,
    status: text,
    sendable: z.boolean().optional().catch(undefined),
    unsendable_reason: z.string().nullable().catch(null),
    components: z.array(z.unknown()).catch([]).transform(objectsOf),
    quality_score: stringOrNull,
    approved_at: stringOrNull,
    status_changed_at: stringOrNull,
  })
  .transform((row): TemplateOut => {
    if (row.sendable !== undefined && row.name !== '' && row.language !== '') return { ...row, sendable: row.sendable }
    return { ...row, sendable: false, unsendable_reason: row.unsendable_reason ?? INCOMPLETE_ROW }
  })

const INCOMPLETE_ROW = 'the list lacks its name, its language or whether it is sendable'

const pageSchema = templatesPageSchema.extend({
  items: z.array(z.unknown()).transform(objectsOf).pipe(z.array(rowSchema)),
})

function objectsOf(values: readonly unknown[]): Record<string, unknown>[] {
  return values.filter((one): one is Record<string, unknown> => z.looseObject({}).safeParse(one).success)
}
