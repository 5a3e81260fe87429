/** How the built-in feature that makes the bot silent begins what a message asks for, in the commit that ingests it. */
export { takeOver as people } from '../features/people/store/hand-over.ts'
