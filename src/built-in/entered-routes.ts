/** The built-in feature that customers enter, such as conversations. It then gets their messages. */
export { runner as conversations } from '../features/conversations/runner.ts'
