/** The built-in features with methods of a customer's handle, which the context of a message has too. */
export { customerMethods as people } from '../features/people/take-over.ts'
