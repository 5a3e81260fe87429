/** The built-in features that run routes which customers enter. */
export { runner as conversations } from '../features/conversations/runner.ts'
