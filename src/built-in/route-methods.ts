/** The built-in features that give a bot methods to register routes. */
export { routeMethods as conversations } from '../features/conversations/conversation.ts'
