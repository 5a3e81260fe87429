import type { EntersNext, EntersNow } from '../features/conversations/entering.ts'
import type { AsksForPerson } from '../features/people/context-methods.ts'
import type { HandsOver, ShowsTakeover } from '../features/people/take-over-members.ts'

/** The members that built-in features give the context of a message. */
export type ContextMembers = object & AsksForPerson & EntersNow & HandsOver & ShowsTakeover
/** The members that built-in features give `bot.to(customer)` and `ctx.to(customer)`. */
export type ReachMembers = object & EntersNext & HandsOver
