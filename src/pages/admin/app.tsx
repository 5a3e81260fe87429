import { useComputed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ConfirmDialog } from '../ui/components/dialog.tsx'
import { Notice, Toast } from '../ui/components/notices.tsx'
import { place } from './address.ts'
import { AnnouncementPage } from './announcement.tsx'
import { Announcements } from './announcements.tsx'
import { Conversations, CustomerPage } from './customer.tsx'
import { Deliveries, DeliveryPage } from './deliveries.tsx'
import { Overview } from './overview.tsx'
import { counted } from './parts.tsx'
import { linkTo, TITLES, type View } from './place.ts'
import { RecordOfActs } from './record.tsx'
import { SearchBox, SearchResults } from './search.tsx'
import { SendPage, Sends } from './sends.tsx'
import { connection, desk, health, isSignedOut, visitor } from './server.ts'

export function App() {
  if (isSignedOut.value)
    return (
      <main id="view">
        <p class="empty">You are no longer signed in. Sign in and reload the page.</p>
      </main>
    )
  return (
    <div class="admin">
      <TopBar />
      <main id="view">
        <CurrentView />
      </main>
      <Notice />
      <Toast />
      <ConfirmDialog />
    </div>
  )
}

function CurrentView() {
  const { view, id, filters } = place.value
  if (view === 'deliveries')
    return id === undefined ? <Deliveries filters={filters} /> : <DeliveryPage key={id} seq={id} />
  if (view === 'sends') return id === undefined ? <Sends filters={filters} /> : <SendPage key={id} id={id} />
  if (view === 'conversations') return <Conversations filters={filters} />
  if (view === 'announcements')
    return id === undefined ? (
      <Announcements filters={filters} />
    ) : (
      <AnnouncementPage key={id} id={id} filters={filters} />
    )
  if (view === 'customers' && id !== undefined) return <CustomerPage key={id} handle={id} />
  if (view === 'acts') return <RecordOfActs filters={filters} />
  if (view === 'search') return <SearchResults />
  return <Overview />
}

const TABS: readonly View[] = ['overview', 'deliveries', 'sends', 'conversations', 'announcements', 'acts']

function TopBar() {
  useSelectedInSight()
  return (
    <header class="top bar">
      <div class="line">
        <h1>
          Switchhook <span>admin</span>
        </h1>
        <ConnectionChip />
        <span class="fill" />
        {desk.value !== undefined && (
          <a class="button" href={desk.value}>
            Desk
          </a>
        )}
        <SearchBox />
        <Visitor />
      </div>
      <nav aria-label="Views">
        {TABS.map((view) => (
          <a key={view} href={linkTo(view)} aria-current={place.value.view === view ? 'page' : undefined}>
            {TITLES[view]}
            <Badge view={view} />
          </a>
        ))}
      </nav>
    </header>
  )
}

/** Scrolls the selected tab and filter into view: on a phone they are wider than the screen. */
function useSelectedInSight(): void {
  useEffect(() => {
    for (const link of document.querySelectorAll('[aria-current]')) link.scrollIntoView({ block: 'nearest' })
    // Scroll again when the numbers in the tabs arrive, because they make the tabs wider.
  }, [place.value, health.value === undefined])
}

function Badge({ view }: { view: View }) {
  const count = useComputed(() => {
    const now = health.value
    if (now === undefined) return 0
    if (view === 'overview') return now.customersWaiting
    if (view === 'deliveries') return Object.values(now.resting).reduce((sum, one) => sum + one, 0)
    if (view === 'sends') return now.sends.unknown + now.sends.held
    if (view === 'announcements') return now.pausedByError.length
    return 0
  }).value
  return count === 0 ? null : <b class="chip warn">{counted(count)}</b>
}

const CONNECTION = {
  connecting: ['Connecting', ''],
  live: ['Live', 'good'],
  lost: ['Not live: reconnecting', 'warn'],
} as const

function ConnectionChip() {
  const [text, tone] = CONNECTION[connection.value]
  return (
    <span class={`chip ${tone}`} role="status">
      {text}
    </span>
  )
}

function Visitor() {
  const me = visitor.value
  if (me === undefined) return null
  return (
    <span
      class="muted line"
      title={me.readOnly ? 'You may view everything and change nothing' : 'Your actions are recorded'}
    >
      <span class="cut">{me.who}</span>
      {me.readOnly && <span class="chip">read-only</span>}
    </span>
  )
}
