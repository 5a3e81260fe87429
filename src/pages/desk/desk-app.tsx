import { useEffect } from 'preact/hooks'
import { Notice, Toast } from '../ui/components/notices.tsx'
import { alerts, announced, askToNotify, setAlerts } from './alerts.ts'
import { ActDialog } from './chat-acts.tsx'
import { ChatPane } from './chat.tsx'
import { removeDrafts } from './drafts.ts'
import { connection, startError } from './live-desk.ts'
import { QueuePane } from './queue.tsx'
import { isSignedOut } from '../ui/ask.ts'
import { desk, deskName, followAddress } from './state-of-desk.ts'
import { openCustomer } from './desk-address.ts'
import { t } from './words.ts'
import { notice } from '../ui/components/messages.ts'

export function DeskApp() {
  if (isSignedOut.value)
    return (
      <main class="empty">
        <h1>{deskName()}</h1>
        <p>{t('signedOut')}</p>
        <p>
          <button type="button" class="primary" onClick={() => location.reload()}>
            {t('signIn')}
          </button>
        </p>
      </main>
    )
  if (desk.value === undefined)
    return (
      <main class="empty">
        <h1>{t('desk')}</h1>
        <p role="status">{connection.value === 'lost' ? (startError.value?.words ?? t('lost')) : t('connecting')}</p>
        {startError.value && (
          <p class="muted small" dir="ltr" lang="en">
            {startError.value.message}
          </p>
        )}
      </main>
    )
  return <Desk />
}

function Desk() {
  // Call this only now, after the server has named the person: the lists depend on who that is.
  useEffect(followAddress, [])
  return (
    <div class={`desk ${openCustomer.value === undefined ? 'no-chat' : ''}`}>
      <div>
        <TopBar />
        <p class={connection.value === 'lost' ? 'lost' : 'visually-hidden'} role="status">
          {connection.value === 'lost' && t('lost')}
        </p>
      </div>
      <main class="panes">
        <QueuePane />
        <ChatPane />
      </main>
      <p class="visually-hidden" role="status">
        {announced}
      </p>
      <Notice dismiss={t('close')} />
      <Toast />
      <ActDialog />
    </div>
  )
}

function TopBar() {
  const { who, numbers } = desk.value?.me ?? { who: '', numbers: [] }
  // A bot's only number is called `default`, which means nothing to a person.
  const named = numbers.filter((number) => number !== 'default')
  return (
    <header class="top bar line">
      <h1 class="cut">
        <bdi>{deskName()}</bdi>{' '}
        <span>
          <bdi>{named.join(', ')}</bdi>
        </span>
      </h1>
      <span class="fill" />
      <bdi class="muted cut">{who}</bdi>
      <Settings />
    </header>
  )
}

function Settings() {
  const notify = async (wanted: boolean) => {
    const isAllowed = wanted && (await askToNotify())
    if (wanted && !isAllowed) notice.value = t('notifyRefused')
    setAlerts({ notify: isAllowed })
  }
  return (
    <details class="settings" onKeyDown={closeOnEscape}>
      <summary class="button">{t('settings')}</summary>
      <div class="card stack">
        <label class="line">
          <input
            type="checkbox"
            checked={alerts.value.sound}
            onChange={({ currentTarget }) => setAlerts({ sound: currentTarget.checked })}
          />
          {t('sound')}
        </label>
        <label class="line">
          <input
            type="checkbox"
            checked={alerts.value.notify}
            onChange={({ currentTarget }) => void notify(currentTarget.checked)}
          />
          {t('notify')}
        </label>
        {desk.value?.signOut !== undefined && (
          <a class="button" href={desk.value.signOut} onClick={removeDrafts}>
            {t('signOut')}
          </a>
        )}
      </div>
    </details>
  )
}

function closeOnEscape({ key, currentTarget }: KeyboardEvent & { currentTarget: HTMLDetailsElement }): void {
  if (key !== 'Escape') return
  currentTarget.open = false
  currentTarget.querySelector('summary')?.focus()
}
