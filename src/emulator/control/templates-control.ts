import { z } from 'zod'
import { codePoints } from '../../service/endpoints.ts'
import { type TemplateOut } from '../../service/answers.ts'
import { refuse } from '../http/messages.ts'
import {
  type CodeTemplate,
  type NewTemplate,
  QUALITY_SCORES,
  approvedCode,
  approvedComponentSchema,
} from '../model/templates.ts'
import { templateOut } from '../service/list-templates.ts'
import type { State } from '../world.ts'
import { change, get, given, numberByIdOrFirst } from './request.ts'

const common = {
  name: z.string().regex(/^\S{1,512}$/, 'must be a name without spaces'),
  language: z.string().regex(/^[A-Za-z]{2,3}([_-]\w+)*$/, 'must be a language code such as sw or en_US'),
  status: z
    .string()
    .regex(/^[A-Za-z_]{1,40}$/, 'must be a review state such as APPROVED or PAUSED')
    .toUpperCase(),
  qualityScore: z.enum(QUALITY_SCORES),
  synchronised: z.boolean(),
  number: z.string().optional(),
}

const withDefaults = {
  ...common,
  status: common.status.default('APPROVED'),
  qualityScore: common.qualityScore.default('UNKNOWN'),
  synchronised: common.synchronised.default(true),
}

const codeTemplateSchema = z.strictObject({
  ...withDefaults,
  category: z.literal('AUTHENTICATION'),
  name: z.string().regex(/^[a-z0-9_]{1,512}$/, 'must be lower-case letters, digits and underscores'),
  securityReminder: z.boolean().optional(),
  expiryMinutes: z.int().min(1).max(90).nullish(),
  buttonText: z
    .string()
    .regex(/\S/, 'must not be blank')
    .refine((text) => codePoints(text) <= 25, 'must have at most 25 characters')
    .refine(
      (text) => !/\p{Extended_Pictographic}|\p{Regional_Indicator}|[\u20e3\ufe0f]/u.test(text),
      'must not contain an emoji',
    )
    .optional(),
})

const textTemplateSchema = z
  .strictObject({
    ...withDefaults,
    category: z.enum(['UTILITY', 'MARKETING']).default('UTILITY'),
    body: z.string().min(1).optional(),
    components: z.array(approvedComponentSchema).min(1).optional(),
  })
  .refine((it) => (it.body === undefined) !== (it.components === undefined), 'needs either body or components')

const newTemplateSchema = z.discriminatedUnion('category', [codeTemplateSchema, textTemplateSchema])

type WantedTemplate = z.output<typeof newTemplateSchema>

const templateChangeSchema = z
  .strictObject({
    status: common.status.optional(),
    qualityScore: common.qualityScore.optional(),
    synchronised: common.synchronised.optional(),
  })
  .refine(
    (it) => it.status !== undefined || it.qualityScore !== undefined || it.synchronised !== undefined,
    'needs status, qualityScore or synchronised',
  )

export const TEMPLATE_OPERATIONS = {
  listTemplates: get('templates', 'The templates of all numbers, newest first.', ({ templates, assumptions }) => ({
    items: templates.newestFirst().map((template) => templateOut(template, assumptions)),
  })),
  createTemplate: change(
    'POST',
    'templates',
    'Creates a template, as the dashboard does.',
    newTemplateSchema,
    createTemplate,
  ),
  changeTemplate: change(
    'PATCH',
    'templates/:id',
    "Changes a template's review state, quality score or synchronisation.",
    templateChangeSchema,
    (state, wanted, id) => {
      const template = state.templates.byId(id)
      if (template === undefined) throw refuse(404, 'not_found', 'This template does not exist.')
      const previousStatus = template.status
      state.templates.change(template, given(wanted), state.clock.now())
      if (template.status !== previousStatus) state.publish({ kind: 'template_reviewed', template, previousStatus })
      return templateOut(template, state.assumptions)
    },
  ),
}

function createTemplate(state: State, wanted: WantedTemplate): TemplateOut {
  const number = numberByIdOrFirst(state.account, wanted.number)
  const { name, language, category, status, synchronised, qualityScore } = wanted
  if (state.templates.of(number.id).find(name, language))
    throw refuse(409, 'template_exists', `The template ${name} already exists in ${language}.`)
  const template = {
    number: number.id,
    name,
    language,
    category,
    status,
    synchronised,
    qualityScore,
    ...shapeOf(wanted),
  }
  return templateOut(state.templates.add(template, state.clock.now()), state.assumptions)
}

function shapeOf(wanted: WantedTemplate): Pick<NewTemplate, 'components' | 'code'> {
  if (wanted.category !== 'AUTHENTICATION')
    return { components: wanted.components ?? [{ type: 'BODY' as const, text: wanted.body ?? '' }] }
  const code: CodeTemplate = {
    securityReminder: wanted.securityReminder ?? false,
    expiryMinutes: wanted.expiryMinutes ?? null,
    buttonText: wanted.buttonText ?? 'Copy code',
  }
  return { components: approvedCode(code), code }
}
