import { tappedOption, type ThreadItem } from '../../wire/types.ts'

/** The messages on all phones, so that the row of a call or a delivery can name its message. */
export interface MessageIndex {
  add(item: ThreadItem): void
  ofCall(call: string): string | undefined
  /** The beginning of what a message says, on one line. */
  preview(message: string | undefined): string | undefined
}

/** The characters of a preview: more than the widest screen shows on one line. The row cuts them to its width. */
const PREVIEW_LENGTH = 400

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
      const text = (item && previewText(item))?.slice(0, PREVIEW_LENGTH).replaceAll(/\s+/g, ' ').trim() ?? ''
      return text === '' ? undefined : text
    },
  }
}

function previewText(item: ThreadItem): string {
  const { text, template, media, kind } = item
  const tapped = tappedOption(item)
  if (tapped) return tapped.title
  if (text !== null && text !== '') return text
  return template?.name ?? media?.caption ?? kind
}
