import { z } from 'zod'
import { RECIPIENT_STATES } from './store/recipients.ts'

const text = z.string().min(1).max(500)
const whole = z.int().min(0)

const change = z.object({
  act: z.literal('announcement'),
  announcement: whole,
  to: z.enum(['running', 'paused', 'cancelled']),
})

/** Retries recipients with one of these reasons. Default: all reasons but `unknown` and `restored`. */
const retry = z.object({
  act: z.literal('retry_announcement'),
  announcement: whole,
  reasons: z.array(text).min(1).max(50).optional(),
  failedLater: z.boolean().default(false),
})

/** Exports the recipients as CSV. With `reveal` nothing is masked, and the export is recorded. */
const exported = z.object({
  announcement: whole,
  state: z.enum(RECIPIENT_STATES).optional(),
  reveal: z.boolean().default(false),
})

/** Finds a recipient of the announcement. `text`: the digits of the phone number. */
const recipient = z.object({ announcement: whole, text })

/** The requests of the admin page about announcements. */
export const requests = { acts: [change, retry], posts: { export: exported, recipient } } as const

export type Asked<Name extends keyof typeof requests.posts> = z.infer<(typeof requests.posts)[Name]>
export type AskedChange = z.infer<typeof change>
export type AskedRetry = z.infer<typeof retry>
