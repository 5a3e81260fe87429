import { z } from 'zod'

/** The approved components, in the upstream platform's own format. */
export const approvedComponentSchema = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('HEADER'),
    format: z.enum(['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT']).default('TEXT'),
    text: z.string().optional(),
  }),
  z.looseObject({ type: z.literal('BODY'), text: z.string().min(1) }),
  z.looseObject({ type: z.literal('FOOTER'), text: z.string() }),
  z.looseObject({
    type: z.literal('BUTTONS'),
    buttons: z.array(
      z.discriminatedUnion('type', [
        z.looseObject({ type: z.literal('QUICK_REPLY'), text: z.string().min(1) }),
        z.looseObject({ type: z.literal('URL'), text: z.string().min(1), url: z.string().min(1) }),
        z.looseObject({ type: z.literal('PHONE_NUMBER'), text: z.string().min(1), phone_number: z.string() }),
      ]),
    ),
  }),
])

export type ApprovedComponent = z.infer<typeof approvedComponentSchema>

export interface TemplateShape {
  readonly components: readonly ApprovedComponent[]
}

type Of<T extends ApprovedComponent['type']> = Extract<ApprovedComponent, { type: T }>
export type ApprovedButton = Of<'BUTTONS'>['buttons'][number]

export function componentOf<T extends ApprovedComponent['type']>(shape: TemplateShape, type: T): Of<T> | undefined {
  return shape.components.find((component): component is Of<T> => component.type === type)
}

export function buttonsOf(shape: TemplateShape): readonly ApprovedButton[] {
  return componentOf(shape, 'BUTTONS')?.buttons ?? []
}

const PLACEHOLDER = /\{\{\s*(\d+)\s*\}\}/g

/** How many parameters a text takes: its highest placeholder (SEND-13). */
export function placeholders(text: string | undefined): number {
  let highest = 0
  for (const [, n] of (text ?? '').matchAll(PLACEHOLDER)) highest = Math.max(highest, Number(n))
  return highest
}

/** The text with its placeholders filled in order. */
export function filled(text: string, values: readonly string[]): string {
  return text.replaceAll(PLACEHOLDER, (placeholder, n: string) => values[Number(n) - 1] ?? placeholder)
}
