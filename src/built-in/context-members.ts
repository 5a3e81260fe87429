import type { AsksForPerson } from '../features/people/context-methods.ts'

/** The members that built-in features give the context of a message. */
export type ContextMembers = object & AsksForPerson
