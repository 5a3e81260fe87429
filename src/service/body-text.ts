import { asRecord } from '../base/value.ts'
import { isMessageType, type MessageType } from './message-kinds.ts'

/** The paths in a send's body to the text that the customer reads. The body of a template does not contain the text. */
const PATHS: Readonly<Record<MessageType, readonly string[]>> = {
  text: ['text'],
  template: [],
  image: ['media_caption'],
  document: ['media_caption'],
  video: ['media_caption'],
  audio: [],
  interactive: ['interactive', 'body'],
}

/** The text of a send's body, from the members that its type reads (SEND-04); undefined if it has none. */
export function bodyText(body: object): string | undefined {
  const { type = 'text' } = asRecord(body)
  // Read all paths if the type is unknown: another release may have stored the body.
  const paths = isMessageType(type) ? [PATHS[type]] : Object.values(PATHS)
  const found = paths.map((path) => path.reduce<unknown>((value, step) => asRecord(value)[step], body))
  return found.find((value) => typeof value === 'string')
}
