import { CopyByHand } from '../ui/components/copy.tsx'
import { ConfirmDialog } from '../ui/components/dialog.tsx'
import { Notice, Toast } from '../ui/components/notices.tsx'
import { Keyboard } from '../ui/keyboard.tsx'
import { SHORTCUTS } from './shortcuts.ts'
import { place } from './state/address.ts'
import { TopBar } from './top-bar.tsx'
import { Acts } from './views/acts.tsx'
import { Conversations } from './views/conversations.tsx'
import { CustomerPage } from './views/customer.tsx'
import { Deliveries } from './views/deliveries.tsx'
import { DeliveryPage } from './views/delivery.tsx'
import { Overview } from './views/overview.tsx'
import { Payloads } from './views/payloads.tsx'
import { SearchResults } from './views/search.tsx'
import { SendPage } from './views/send.tsx'
import { Sends } from './views/sends.tsx'
import { isSignedOut } from './wire/ask.ts'

/** The whole page: the bar, the view of the address, and the messages and dialogs over them. */
export function App() {
  if (isSignedOut.value)
    return (
      <main id="view">
        <p class="empty">You are not signed in any more. Sign in, and load the page again.</p>
      </main>
    )
  return (
    <div class="admin">
      <TopBar />
      <main id="view">
        <View />
      </main>
      <Notice />
      <Toast />
      <ConfirmDialog />
      <Keyboard shortcuts={SHORTCUTS} />
      <CopyByHand />
    </div>
  )
}

function View() {
  const { view, id, filters } = place.value
  if (view === 'deliveries')
    return id === undefined ? <Deliveries filters={filters} /> : <DeliveryPage key={id} seq={id} />
  if (view === 'sends') return id === undefined ? <Sends filters={filters} /> : <SendPage key={id} id={id} />
  if (view === 'conversations') return <Conversations filters={filters} />
  if (view === 'customers' && id !== undefined) return <CustomerPage key={id} handle={id} />
  if (view === 'payloads') return <Payloads />
  if (view === 'acts') return <Acts />
  if (view === 'search') return <SearchResults />
  return <Overview />
}
