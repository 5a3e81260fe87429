import { z } from 'zod'
import { bounded } from './bounded.ts'
import { interactiveSchema } from './interactive.ts'
import { LIMITS } from './limits.ts'
import { type HeaderMedium, MESSAGE_TYPES, type MessageMember, OUTBOUND_KINDS } from './message-kinds.ts'

const mediaLink = z.looseObject({
  link: z.string().regex(/^https:\/\//i, 'must be https'),
  filename: z.string().optional(),
})

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
  media_url: z
    .string()
    .regex(/^https:\/\//i, 'must be a public https address')
    .nullish(),
  media_caption: bounded(LIMITS.mediaCaption).nullish(),
  media_filename: z.string().nullish(),
} satisfies Record<MessageMember, z.ZodType>

/** The body of a send (SEND-01 to SEND-13). Members that the type does not read are checked for form alone. */
export const sendSchema = z
  .looseObject({
    to: z
      .string()
      .regex(/^\d+$/, 'must be digits only, in full international format, without +')
      .min(LIMITS.to.min)
      .max(LIMITS.to.max),
    type: z.enum(MESSAGE_TYPES).default('text'),
    ...MEMBERS,
  })
  .superRefine((send, issues) => {
    for (const member of OUTBOUND_KINDS[send.type].requires) {
      const value = send[member]
      if (value === undefined || value === null || (typeof value === 'string' && value.trim() === ''))
        issues.addIssue({ code: 'custom', path: [member], message: `is required for type ${send.type}` })
    }
  })

export type SendRequest = z.input<typeof sendSchema>
