import type { Env } from '../bot/routes/context.ts'
import type { Converses } from '../features/conversations/conversation.ts'
import type { RoutesWhileTakenOver } from '../features/people/take-over-members.ts'

/** The members that built-in features give a bot and `routes()`. `R`: the type of the routes. */
export type RouteMembers<E extends Env, R> = object & Converses<E> & RoutesWhileTakenOver<R>
