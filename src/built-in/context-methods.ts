/** The built-in features that add methods to a message's context. */
export { contextMethods as people } from '../features/people/context-methods.ts'
