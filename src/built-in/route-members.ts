import type { Env } from '../bot/routes/context.ts'
import type { Converses } from '../features/conversations/conversation.ts'

/** The members that built-in features give a bot and `routes()`. */
export type RouteMembers<E extends Env> = object & Converses<E>
