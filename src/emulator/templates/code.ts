import { z } from 'zod'
import type { ApprovedComponent } from './shape.ts'

/** What the dashboard asks of somebody who makes a template for one-time codes; the text is the platform's (TPL-07). */
export const codeTemplateSchema = z.strictObject({
  securityReminder: z.boolean(),
  /** Whole minutes; null: none, and the upstream platform's 10 minutes hold. */
  expiryMinutes: z.int().min(1).max(90).nullable(),
  buttonText: z.string(),
})

export type CodeTemplate = Readonly<z.infer<typeof codeTemplateSchema>>

const USUAL_MINUTES = 10
const LONGEST_MINUTES = 15
const MINUTE_MS = 60_000

/** For how long the upstream platform tries to bring a code to the handset (OTP-09). */
export function codeLifeMs({ expiryMinutes }: Pick<CodeTemplate, 'expiryMinutes'>): number {
  return Math.min(expiryMinutes ?? USUAL_MINUTES, LONGEST_MINUTES) * MINUTE_MS
}

/** As the upstream platform writes and approves it. */
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

/** As it was submitted, before the service has heard of it again: a body without text, a button of type OTP (OTP-07). */
export function submittedCode({ securityReminder, expiryMinutes, buttonText }: CodeTemplate): object[] {
  return [
    { type: 'BODY', add_security_recommendation: securityReminder },
    ...(expiryMinutes === null ? [] : [{ type: 'FOOTER', code_expiration_minutes: expiryMinutes }]),
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: buttonText }] },
  ]
}
