import type { ThreadItem } from './thread.ts'

/** Something on the phone that can be tapped. */
export interface PhoneChoice {
  readonly how: 'button_reply' | 'list_reply' | 'quick_reply'
  /** The option's id, or the payload of a quick reply. */
  readonly id: string
  readonly title: string
  readonly description?: string
}

/** All that a customer can tap, the newest message first; old ones stay tappable (by assumption). */
export function choicesOn(thread: readonly ThreadItem[]): PhoneChoice[] {
  return thread
    .toReversed()
    .filter((item) => item.direction === 'OUTBOUND' && item.refused === undefined)
    .flatMap((item) => [...interactiveChoices(item.interactive), ...quickReplies(item)])
}

function interactiveChoices(interactive: ThreadItem['interactive']): PhoneChoice[] {
  if (interactive === undefined || !('body' in interactive)) return []
  const rows = (interactive.sections ?? []).flatMap((section) => section.rows)
  return [
    ...(interactive.buttons ?? []).map(({ id, title }) => ({ how: 'button_reply' as const, id, title })),
    ...rows.map(({ id, title, description }) => ({
      how: 'list_reply' as const,
      id,
      title,
      ...(description === null ? {} : { description }),
    })),
  ]
}

function quickReplies(item: ThreadItem): PhoneChoice[] {
  return (item.quickReplies ?? []).map(({ payload, title }) => ({ how: 'quick_reply', id: payload, title }))
}
