/** The built-in feature that runs routes which customers enter. */
export { runner as conversations } from '../features/conversations/runner.ts'
