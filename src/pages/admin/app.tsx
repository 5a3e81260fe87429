import { useComputed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ConfirmDialog } from '../ui/components/dialog.tsx'
import { Notice, Toast } from '../ui/components/notices.tsx'
import { address, linkTo, TITLES, type View } from './address.ts'
import { CustomerPage } from './customer.tsx'
import { Deliveries, DeliveryPage } from './deliveries.tsx'
import { FEATURES } from './features.tsx'
import { Overview } from './overview.tsx'
import { counted } from './parts.tsx'
import { RecordOfActs } from './record.tsx'
import { SearchBox, SearchResults } from './search.tsx'
import { SendPage, Sends } from './sends.tsx'
import { isSignedOut } from '../ui/ask.ts'
import { connection, desk, health, visitor } from './server.ts'

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
  const { view, id, filters } = address.value
  const { List, Details } = FEATURES[view] ?? {}
  if (Details && id !== undefined) return <Details key={id} id={id} filters={filters} />
  if (List) return <List filters={filters} />
  if (view === 'deliveries')
    return id === undefined ? <Deliveries filters={filters} /> : <DeliveryPage key={id} seq={id} />
  if (view === 'sends') return id === undefined ? <Sends filters={filters} /> : <SendPage key={id} id={id} />
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
      <nav class="tabs" aria-label="Views">
        {TABS.map((view) => (
          <a key={view} href={linkTo(view)} aria-current={address.value.view === view ? 'page' : undefined}>
            {TITLES[view]}
            <Badge view={view} />
          </a>
        ))}
      </nav>
    </header>
  )
}

/** Scrolls the selected tab and filter into view: on a phone not all of them fit. */
function useSelectedInSight(): void {
  useEffect(() => {
    for (const link of document.querySelectorAll('[aria-current]')) link.scrollIntoView({ block: 'nearest' })
    // Again when the counts on the tabs arrive, because they make the tabs wider.
  }, [address.value, health.value === undefined])
}

function Badge({ view }: { view: View }) {
  const count = useComputed(() => {
    const now = health.value
    if (now === undefined) return 0
    if (view === 'overview') return now.customersWaiting
    if (view === 'deliveries') return Object.values(now.resting).reduce((sum, one) => sum + one, 0)
    if (view === 'sends') return now.sends.unknown + now.sends.held
    return FEATURES[view]?.problems?.(now).length ?? 0
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
