/** Reads the customer's open conversation or the like, which gets their messages instead of the routes. */
export { openConversation as conversations } from '../features/conversations/store/open-conversation.ts'
