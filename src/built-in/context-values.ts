/** The built-in features with values of a message's context. */
export { contextValues as people } from '../features/people/take-over.ts'
