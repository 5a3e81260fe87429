import { useComputed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ConfirmDialog } from '../ui/components/dialog.tsx'
import { Notice, Toast } from '../ui/components/notices.tsx'
import { address, linkTo, TITLES, type View } from './address.ts'
import { CustomerPage } from './customer.tsx'
import { Deliveries, DeliveryPage } from './deliveries.tsx'
import { FEATURES, type ViewOnPage } from './features.tsx'
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

/** The overview is shown for a view without a list. */
const VIEWS: Readonly<Record<View, ViewOnPage>> = {
  deliveries: {
    List: Deliveries,
    Details: DeliveryPage,
    count: ({ resting }) => Object.values(resting).reduce((sum, one) => sum + one, 0),
  },
  sends: { List: Sends, Details: SendPage, count: ({ sends }) => sends.unknown + sends.held },
  customers: { Details: CustomerPage },
  acts: { List: RecordOfActs },
  search: { List: SearchResults },
  overview: { count: ({ customersWaiting }) => customersWaiting },
  ...FEATURES,
}

function CurrentView() {
  const { view, id, filters } = address.value
  const { List = Overview, Details } = VIEWS[view]
  return Details && id !== undefined ? <Details key={id} id={id} filters={filters} /> : <List filters={filters} />
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
    // Repeat this when the counts on the tabs arrive, because they make the tabs wider.
  }, [address.value, health.value === undefined])
}

function Badge({ view }: { view: View }) {
  const count = useComputed(() => (health.value && VIEWS[view].count?.(health.value)) ?? 0).value
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
