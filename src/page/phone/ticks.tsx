import type { ThreadItem } from '../wire/types.ts'

type Progress = 'sent' | 'delivered' | 'read' | 'played' | 'failed' | 'waiting'

const PATHS: Readonly<Record<Progress, string>> = {
  waiting: 'M8 4v4l3 2M14.5 8a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0',
  sent: 'M3 8.5l3.5 3.5L13 4.5',
  delivered: 'M1 8.5l3.5 3.5L11 4.5M7 11l1 1 7-7.5',
  read: 'M1 8.5l3.5 3.5L11 4.5M7 11l1 1 7-7.5',
  played: 'M8 1.5a2 2 0 0 1 2 2V8a2 2 0 0 1-4 0V3.5a2 2 0 0 1 2-2M3.5 8a4.5 4.5 0 0 0 9 0M8 12.5V15',
  failed: 'M8 3.5V9M8 12v.5',
}

/** How far a message came: in a word and a sign, since colours are not seen by all. */
export function Ticks({ item }: { item: ThreadItem }) {
  const progress = progressOf(item.status)
  return (
    <span class={`ticks ${progress}`} title={item.failureReason}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={PATHS[progress]} />
      </svg>
      {progress === 'waiting' ? 'accepted' : progress}
      {item.failureReason !== undefined && `: ${item.failureReason}`}
    </span>
  )
}

/** The service writes a status in either case. */
function progressOf(status: string | null): Progress {
  const known = status?.toLowerCase()
  return known !== undefined && Object.hasOwn(PATHS, known) ? (known as Progress) : 'waiting'
}
