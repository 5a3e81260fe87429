/** The built-in feature that may get a customer's messages instead of the routes: it reads what is open. */
export { openConversation as conversations } from '../features/conversations/store/open-conversation.ts'
