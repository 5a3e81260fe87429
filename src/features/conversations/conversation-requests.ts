import { z } from 'zod'

const end = z.object({ act: z.literal('end_conversation'), conversation: z.string().min(1).max(500) })

/** What the admin page may request. */
export const requests = { acts: [end], posts: {} } as const

export type AskedEnd = z.infer<typeof end>
