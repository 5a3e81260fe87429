/** The built-in feature that a customer can enter. It then gets the customer's messages instead of the routes. */
export { runner as conversations } from '../features/conversations/runner.ts'
