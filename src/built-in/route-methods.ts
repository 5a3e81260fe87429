/** The built-in features that give a bot methods to register routes. */
export { routeMethods as conversations } from '../features/conversations/conversation.ts'
export { routeMethods as people } from '../features/people/while-taken-over.ts'
