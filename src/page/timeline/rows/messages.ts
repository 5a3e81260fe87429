import { tappedIn, type ThreadItem } from '../../wire/types.ts'

/** What is known of the messages on the phones, so that a call or a delivery can say which it is about. */
export interface Messages {
  hear(item: ThreadItem): void
  ofCall(call: string): string | undefined
  /** Its first words, in quotes. */
  preview(message: string | undefined): string | undefined
  /** How far it has come, in small letters. */
  status(message: string | undefined): string | undefined
}

const PREVIEW = 60

export function createMessages(): Messages {
  const byId = new Map<string, ThreadItem>()
  const byCall = new Map<string, string>()
  const known = (message: string | undefined) => (message === undefined ? undefined : byId.get(message))
  return {
    hear(item) {
      byId.set(item.id, item)
      if (item.call !== undefined) byCall.set(item.call, item.id)
    },
    ofCall: (call) => byCall.get(call),
    preview(message) {
      const item = known(message)
      const words = (item && wordsOf(item))?.replaceAll(/\s+/g, ' ').trim() ?? ''
      if (words === '') return undefined
      return `“${words.length > PREVIEW ? `${words.slice(0, PREVIEW - 1)}…` : words}”`
    },
    status: (message) => known(message)?.status?.toLowerCase(),
  }
}

function wordsOf(item: ThreadItem): string {
  const { text, template, media, kind } = item
  const tapped = tappedIn(item)
  if (tapped) return tapped.title
  if (text !== null && text !== '') return text
  return template?.name ?? media?.caption ?? kind
}
