import { z } from 'zod'
import { LIMITS } from './limits.ts'
import { bounded } from './bounded.ts'

export const buttonSchema = z.looseObject({
  id: bounded(LIMITS.buttonId),
  title: bounded(LIMITS.buttonTitle),
})

export const rowSchema = z.looseObject({
  id: bounded(LIMITS.rowId),
  title: bounded(LIMITS.rowTitle),
  description: bounded(LIMITS.rowDescription).nullish(),
})

export const sectionSchema = z.looseObject({
  title: bounded(LIMITS.sectionTitle).nullish(),
  rows: z.array(rowSchema).min(1).max(LIMITS.rows.max),
})

export const ctaSchema = z.looseObject({
  display_text: bounded(LIMITS.linkTitle),
  url: bounded(LIMITS.linkUrl).regex(/^https?:\/\//i, 'must be http or https'),
})

/** An interactive message: reply buttons, a list menu or a URL button (SEND-06 to SEND-10). */
export const interactiveSchema = z
  .looseObject({
    type: z.enum(['buttons', 'list', 'cta_url']),
    body: bounded(LIMITS.interactiveBody),
    footer: bounded(LIMITS.interactiveFooter).nullish(),
    buttons: z.array(buttonSchema).max(LIMITS.buttons.max).optional(),
    button_text: bounded(LIMITS.listButtonText).nullish(),
    sections: z.array(sectionSchema).optional(),
    cta: ctaSchema.nullish(),
  })
  .superRefine((it, issues) => {
    const refuse = (path: string, message: string) => issues.addIssue({ code: 'custom', path: [path], message })
    if (it.type === 'buttons') {
      const buttons = it.buttons ?? []
      if (buttons.length < LIMITS.buttons.min) refuse('buttons', 'needs at least one button')
      if (repeats(buttons.map((button) => button.id))) refuse('buttons', 'option ids must not repeat')
    }
    if (it.type === 'list') {
      const rows = (it.sections ?? []).flatMap((section) => section.rows)
      if (rows.length < LIMITS.rows.min) refuse('sections', 'needs at least one row')
      if (rows.length > LIMITS.rows.max) refuse('sections', `holds at most ${LIMITS.rows.max} rows in total`)
      if (repeats(rows.map((row) => row.id))) refuse('sections', 'option ids must not repeat')
    }
    if (it.type === 'cta_url' && !it.cta) refuse('cta', 'is required for cta_url')
  })

export type Interactive = z.infer<typeof interactiveSchema>

function repeats(ids: string[]): boolean {
  return new Set(ids).size < ids.length
}
