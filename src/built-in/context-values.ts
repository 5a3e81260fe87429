/** The built-in features that add values to a message's context. */
export { contextValues as people } from '../features/people/take-over.ts'
