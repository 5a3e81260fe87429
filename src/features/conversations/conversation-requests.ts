import { z } from 'zod'

const end = z.object({ act: z.literal('end_conversation'), conversation: z.string().min(1).max(500) })

/** The requests of the admin page about conversations. */
export const requests = { acts: [end], posts: {} } as const

export type AskedEnd = z.infer<typeof end>
