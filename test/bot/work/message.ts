import type { Message } from '../../../src/bot/routes/context.ts'

/** A message without content, but for what is given. */
export const message = (more: Partial<Message>): Message => ({
  id: undefined,
  location: undefined,
  reaction: undefined,
  kind: 'text',
  at: new Date(0),
  text: undefined,
  tapped: undefined,
  media: undefined,
  ...more,
})
