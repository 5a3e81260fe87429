import { z } from 'zod'
import { codePoints, LIMITS } from './endpoints.ts'
import { type HeaderMedium, MESSAGE_TYPES, type MessageMember, OUTBOUND_KINDS, readsMember } from './message-kinds.ts'

/** Limits a length in code points, as JSON Schema counts too. */
function bounded({ min = 0, max }: { min?: number; max: number }) {
  return z
    .string()
    .refine(
      (text) => {
        const length = codePoints(text)
        return length >= min && length <= max
      },
      { message: min > 0 ? `must have ${min} to ${max} characters` : `must have at most ${max} characters` },
    )
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max })
}

function isAddress(...protocols: readonly string[]) {
  return (text: string) => protocols.includes(URL.parse(text)?.protocol ?? '')
}

function httpsAddress(message: string) {
  return z.string().refine(isAddress('https:'), message).meta({ format: 'uri' })
}

const buttonSchema = z.looseObject({ id: bounded(LIMITS.buttonId), title: bounded(LIMITS.buttonTitle) })

const rowSchema = z.looseObject({
  id: bounded(LIMITS.rowId),
  title: bounded(LIMITS.rowTitle),
  description: bounded(LIMITS.rowDescription).nullish(),
})

const sectionSchema = z.looseObject({
  title: bounded(LIMITS.sectionTitle).nullish(),
  rows: z.array(rowSchema).min(1, 'must not be empty').max(LIMITS.rows.max, `must have at most ${LIMITS.rows.max}`),
})

const ctaSchema = z.looseObject({
  display_text: bounded(LIMITS.linkTitle),
  url: bounded(LIMITS.linkUrl)
    .refine(isAddress('http:', 'https:'), 'must be a full http or https address')
    .meta({ minLength: LIMITS.linkUrl.min, maxLength: LIMITS.linkUrl.max, format: 'uri' }),
})

/** An interactive message: reply buttons, a list menu or a URL button (SEND-06 to SEND-10). */
export const interactiveSchema = z
  .looseObject({
    type: z.enum(['buttons', 'list', 'cta_url']),
    body: bounded(LIMITS.interactiveBody),
    footer: bounded(LIMITS.interactiveFooter).nullish(),
    buttons: z.array(buttonSchema).max(LIMITS.buttons.max, `must have at most ${LIMITS.buttons.max}`).optional(),
    button_text: bounded(LIMITS.listButtonText).nullish(),
    sections: z.array(sectionSchema).optional(),
    cta: ctaSchema.nullish(),
  })
  .superRefine((it, issues) => {
    const refuse = (path: string, message: string) => issues.addIssue({ code: 'custom', path: [path], message })
    switch (it.type) {
      case 'buttons': {
        const buttons = it.buttons ?? []
        if (buttons.length < LIMITS.buttons.min) refuse('buttons', 'needs at least one button')
        if (repeats(buttons.map((button) => button.id))) refuse('buttons', 'option ids must not repeat')
        break
      }
      case 'list': {
        const rows = (it.sections ?? []).flatMap((section) => section.rows)
        if (rows.length < LIMITS.rows.min) refuse('sections', 'needs at least one row')
        if (rows.length > LIMITS.rows.max) refuse('sections', `has at most ${LIMITS.rows.max} rows in total`)
        if (repeats(rows.map((row) => row.id))) refuse('sections', 'option ids must not repeat')
        break
      }
      case 'cta_url':
        if (!it.cta) refuse('cta', 'is required for cta_url')
        break
      default:
        it.type satisfies never
    }
  })

export type Interactive = z.infer<typeof interactiveSchema>

function repeats(ids: string[]): boolean {
  return new Set(ids).size < ids.length
}

const mediaLink = z.looseObject({ link: httpsAddress('must be a full https address'), filename: z.string().optional() })

const mediaParameters = {
  image: z.looseObject({ type: z.literal('image'), image: mediaLink }),
  video: z.looseObject({ type: z.literal('video'), video: mediaLink }),
  document: z.looseObject({ type: z.literal('document'), document: mediaLink }),
} satisfies Record<HeaderMedium, z.ZodType>

/** One parameter of a template's component, in the upstream platform's own format (SEND-12). */
export const parameterSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('payload'), payload: z.string() }),
  ...Object.values(mediaParameters),
])

export const componentSchema = z.looseObject({
  type: z.enum(['header', 'body', 'button']),
  sub_type: z.enum(['url', 'quick_reply']).optional(),
  index: z.string().regex(/^\d+$/, 'must be a zero-based position as a string').optional(),
  parameters: z.array(parameterSchema).optional(),
})

export type TemplateComponent = z.infer<typeof componentSchema>

const MEMBERS = {
  text: bounded(LIMITS.text).nullish(),
  interactive: interactiveSchema.nullish(),
  template_name: z.string().nullish(),
  template_language: z.string().nullish(),
  template_components: z.array(componentSchema).nullish(),
  media_url: httpsAddress('must be a public https address').nullish(),
  media_caption: z.string().meta({ maxLength: LIMITS.mediaCaption.max }).nullish(),
  media_filename: z.string().nullish(),
} satisfies Record<MessageMember, z.ZodType>

const DIGITS = `must have ${LIMITS.to.min} to ${LIMITS.to.max} digits`

/**
 * The body of a send (SEND-01 to SEND-13). Members that the type does not read are checked only for form, and a caption
 * not even for its length, because audio ignores it (SEND-05).
 */
export const sendSchema = z
  .looseObject({
    to: z
      .string()
      .regex(/^\d+$/, 'must be digits only, in full international format, without +')
      .min(LIMITS.to.min, DIGITS)
      .max(LIMITS.to.max, DIGITS),
    type: z.enum(MESSAGE_TYPES).default('text'),
    ...MEMBERS,
  })
  .superRefine((send, issues) => {
    for (const member of OUTBOUND_KINDS[send.type].requires) {
      const value = send[member]
      if (value === undefined || value === null || (typeof value === 'string' && value.trim() === ''))
        issues.addIssue({ code: 'custom', path: [member], message: `is required for type ${send.type}` })
    }
    const caption = readsMember(send.type, 'media_caption') ? (send.media_caption ?? '') : ''
    if (codePoints(caption) > LIMITS.mediaCaption.max)
      issues.addIssue({
        code: 'custom',
        path: ['media_caption'],
        message: `must have at most ${LIMITS.mediaCaption.max} characters`,
      })
  })

export type SendRequest = z.input<typeof sendSchema>
