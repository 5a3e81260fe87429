import { signal } from '@preact/signals'
import type { Change, Health } from '../../admin/api.ts'
import { loadVisitor } from './visitor.ts'

/** How the bot stands, as the stream told last; undefined until it has. */
export const health = signal<Health | undefined>(undefined)

export type Connection = 'connecting' | 'live' | 'lost'
export const connection = signal<Connection>('connecting')

type List = Change['changed'][number]

/** How many times each list was said to have changed: whoever shows one asks anew when its count rises. */
export const versions = signal<Readonly<Record<List, number>>>({
  deliveries: 0,
  sends: 0,
  conversations: 0,
  timers: 0,
  acts: 0,
})

/** Streams end every few minutes and begin anew by themselves; a longer break is shown. */
const LOST_AFTER_MS = 5_000

/** Follows the stream of changes for as long as the page is open. */
export function follow(): void {
  let lost: ReturnType<typeof setTimeout> | undefined
  const connect = () => {
    const source = new EventSource('api/stream')
    // A stream passes the door anew: the session may be over, or somebody else's.
    source.addEventListener('open', loadVisitor)
    source.addEventListener('change', ({ data }) => {
      clearTimeout(lost)
      lost = undefined
      connection.value = 'live'
      apply(JSON.parse(data as string) as Change)
    })
    source.addEventListener('error', () => {
      lost ??= setTimeout(() => (connection.value = 'lost'), LOST_AFTER_MS)
      // After an answer that is no stream, such as a refusal, the browser does not ask again.
      if (source.readyState !== EventSource.CLOSED) return
      loadVisitor()
      setTimeout(connect, LOST_AFTER_MS)
    })
  }
  connect()
}

function apply({ health: now, changed }: Change): void {
  health.value = now
  const next = { ...versions.peek() }
  for (const list of changed) next[list]++
  if (changed.length > 0) versions.value = next
}

/** Asks for everything anew that is shown, as after an act of this page. */
export function refreshAll(): void {
  versions.value = Object.fromEntries(
    Object.entries(versions.peek()).map(([list, count]) => [list, count + 1]),
  ) as Record<List, number>
}
