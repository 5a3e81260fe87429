/** The built-in features that may get a customer's messages instead of the routes: each reads what is open. */
export { openConversation as conversations } from '../features/conversations/store/open-conversation.ts'
