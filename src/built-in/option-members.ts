import type { BurstOption, BurstRouteOption } from '../features/bursts/burst-options.ts'
import type { TakenOverOption } from '../features/people/take-over-members.ts'

/** The members that built-in features give a bot's options. */
export type OptionMembers = object & BurstOption & TakenOverOption

/** The members that built-in features give a route's options. */
export type RouteOptionMembers = object & BurstRouteOption
