import { z } from 'zod'
import { type TemplateOut, type TemplatesPage, templatesPageSchema } from './answers.ts'

/**
 * A page of templates as it is read; undefined if the value is none. One row with a missing or odd member costs no
 * other row (TPL-08): its missing texts are empty, and it is not sendable if it does not tell its name, its language or
 * whether it is. What is no object is left out.
 */
export function readTemplatesPage(json: unknown): TemplatesPage | undefined {
  return pageSchema.safeParse(json).data
}

const text = z.union([z.string(), z.number().transform(String)]).catch('')
const maybe = z.string().nullish().catch(null)

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
    quality_score: maybe,
    approved_at: maybe,
    status_changed_at: maybe,
  })
  .transform((row): TemplateOut => {
    if (row.sendable !== undefined && row.name !== '' && row.language !== '') return { ...row, sendable: row.sendable }
    return { ...row, sendable: false, unsendable_reason: row.unsendable_reason ?? UNTOLD }
  })

const UNTOLD = 'the list does not tell its name, its language or whether it is sendable'

const pageSchema = templatesPageSchema.extend({
  items: z.array(z.unknown()).transform(objectsOf).pipe(z.array(rowSchema)),
})

function objectsOf(values: readonly unknown[]): Record<string, unknown>[] {
  return values.filter((one): one is Record<string, unknown> => z.looseObject({}).safeParse(one).success)
}
