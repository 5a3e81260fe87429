/** The built-in features with methods of a message's context. */
export { contextMethods as people } from '../features/people/context-methods.ts'
