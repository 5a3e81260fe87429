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

type ApprovedComponent = z.infer<typeof approvedComponentSchema>

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

/** The dashboard's form for a template for one-time codes; its text is the platform's own (TPL-07). */
export interface CodeTemplate {
  readonly securityReminder: boolean
  /** Whole minutes; null: no expiry of its own, so that the upstream platform's 10 minutes hold. */
  readonly expiryMinutes: number | null
  readonly buttonText: string
}

const DEFAULT_MINUTES = 10
const LONGEST_MINUTES = 15
const MINUTE_MS = 60_000

/** How long the upstream platform tries to bring a code to the handset (OTP-09). */
export function codeLifeMs({ expiryMinutes }: Pick<CodeTemplate, 'expiryMinutes'>): number {
  return Math.min(expiryMinutes ?? DEFAULT_MINUTES, LONGEST_MINUTES) * MINUTE_MS
}

/** The components of a code template as the upstream platform writes and approves them. */
export function approvedCode({ securityReminder, expiryMinutes, buttonText }: CodeTemplate): ApprovedComponent[] {
  const reminder = securityReminder ? ' For your security, do not share this code.' : ''
  return [
    { type: 'BODY', text: `{{1}} is your verification code.${reminder}` },
    ...(expiryMinutes === null
      ? []
      : [{ type: 'FOOTER' as const, text: `This code expires in ${expiryMinutes} minutes.` }]),
    {
      type: 'BUTTONS',
      buttons: [{ type: 'URL', text: buttonText, url: 'https://code.emulator.test/copy?code={{1}}' }],
    },
  ]
}

/** The components of a code template as submitted, before it is synchronised: a body without text, a button of type OTP (OTP-07). */
export function submittedCode({ securityReminder, expiryMinutes, buttonText }: CodeTemplate): object[] {
  return [
    { type: 'BODY', add_security_recommendation: securityReminder },
    ...(expiryMinutes === null ? [] : [{ type: 'FOOTER', code_expiration_minutes: expiryMinutes }]),
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: buttonText }] },
  ]
}
