import { tappedOption, type ThreadItem } from '../../wire/types.ts'

/** The messages on all phones, so that the row of a call or a delivery can name its message. */
export interface MessageIndex {
  add(item: ThreadItem): void
  /** The id of the message that a call sent. */
  ofCall(call: string): string | undefined
  /** The first words of a message, in quotes. */
  preview(message: string | undefined): string | undefined
  /** The status of a message, in lower case. */
  status(message: string | undefined): string | undefined
}

const PREVIEW_LENGTH = 60

export function createMessageIndex(): MessageIndex {
  const byId = new Map<string, ThreadItem>()
  const byCall = new Map<string, string>()
  const known = (message: string | undefined) => (message === undefined ? undefined : byId.get(message))
  return {
    add(item) {
      byId.set(item.id, item)
      if (item.call !== undefined) byCall.set(item.call, item.id)
    },
    ofCall: (call) => byCall.get(call),
    preview(message) {
      const item = known(message)
      const text = (item && previewText(item))?.replaceAll(/\s+/g, ' ').trim() ?? ''
      if (text === '') return undefined
      return `“${text.length > PREVIEW_LENGTH ? `${text.slice(0, PREVIEW_LENGTH - 1)}…` : text}”`
    },
    status: (message) => known(message)?.status?.toLowerCase(),
  }
}

function previewText(item: ThreadItem): string {
  const { text, template, media, kind } = item
  const tapped = tappedOption(item)
  if (tapped) return tapped.title
  if (text !== null && text !== '') return text
  return template?.name ?? media?.caption ?? kind
}
