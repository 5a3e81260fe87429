/** The built-in features that add methods to `bot.to(customer)` and to a message's context. */
export { customerMethods as people } from '../features/people/take-over.ts'
