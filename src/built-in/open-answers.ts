/** Reads a customer's open conversation, which gets their messages instead of the routes. */
export { openConversation as conversations } from '../features/conversations/store/open-conversation.ts'
