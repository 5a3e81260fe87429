import { useComputed } from '@preact/signals'
import { ThemeButton } from '../ui/components/theme-button.tsx'
import { HelpButton } from '../ui/keyboard.tsx'
import { connection, health } from './state/live.ts'
import { place } from './state/address.ts'
import { linkTo, type View } from './state/place.ts'
import { visitor } from './state/visitor.ts'
import { counted } from './parts/words.tsx'
import { SearchBox } from './views/search.tsx'

/** The places of the bar; a single customer and the results of a search are reached from elsewhere. Keys 1 to 6 open them. */
export const TABS: readonly (readonly [view: View, title: string])[] = [
  ['overview', 'Overview'],
  ['deliveries', 'Deliveries'],
  ['sends', 'Sends'],
  ['conversations', 'Conversations'],
  ['payloads', 'Payloads'],
  ['acts', 'Record'],
]

export function TopBar() {
  return (
    <header class="top">
      <div class="top-line">
        <h1>
          Switchhook <span>admin</span>
        </h1>
        <ConnectionChip />
        <span class="fill" />
        <SearchBox />
        <Visitor />
        <ThemeButton />
        <HelpButton />
      </div>
      <nav aria-label="Views">
        {TABS.map(([view, title]) => (
          <a key={view} href={linkTo(view)} aria-current={place.value.view === view ? 'page' : undefined}>
            {title}
            <Badge view={view} />
          </a>
        ))}
      </nav>
    </header>
  )
}

/** How much waits for a person behind a tab. */
function Badge({ view }: { view: View }) {
  const count = useComputed(() => {
    const now = health.value
    if (now === undefined) return 0
    if (view === 'deliveries') return Object.values(now.resting).reduce((sum, one) => sum + one, 0)
    if (view === 'sends') return now.sends.unknown + now.sends.held
    return 0
  }).value
  return count === 0 ? null : <b class="badge">{counted(count)}</b>
}

/** Quiet while all is well: only a stream that is lost for a while is worth a word. */
function ConnectionChip() {
  if (connection.value === 'lost')
    return (
      <span class="chip warn" role="status">
        Not live: asking again
      </span>
    )
  return (
    <span class={`live ${connection.value}`} role="status">
      <i class="dot" aria-hidden="true" />
      <span class="visually-hidden">{connection.value === 'live' ? 'Live' : 'Connecting'}</span>
    </span>
  )
}

function Visitor() {
  const me = visitor.value
  if (me === undefined) return null
  return (
    <span class="visitor" title={me.readOnly ? 'You may look, and change nothing' : 'What you do is recorded'}>
      {me.who}
      {me.readOnly && <span class="chip"> read-only</span>}
    </span>
  )
}
