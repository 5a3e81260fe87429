/** The built-in features with methods of `bot.to(customer)`, which the context of a message has too. */
export { customerMethods as people } from '../features/people/take-over.ts'
