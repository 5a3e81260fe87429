import { reasonOf } from '../../base/errors.ts'
import { useState } from 'preact/hooks'
import type { AnnouncementView, FoundRecipients, RecipientView } from '../../features/announcements/announcement-api.ts'
import type { Act } from '../../admin/requests.ts'
import { Facts } from '../ui/components/body.tsx'
import { notice } from '../ui/components/messages.ts'
import { announcementActs } from './announcements.tsx'
import { ActButton, type Question } from './ask-first.tsx'
import { Chips, Pages } from './list.tsx'
import { Customer, Details, plural, sentence, State, When } from './parts.tsx'
import { linkTo } from './address.ts'
import { Rows } from './rows.tsx'
import { download, mayAnnounce, mayReveal, post } from './server.ts'

export function AnnouncementPage({ id, filters }: { id: string; filters: URLSearchParams }) {
  const query = filters.toString()
  return (
    <Details<AnnouncementView>
      path={`api/announcements/${encodeURIComponent(id)}${query === '' ? '' : `?${query}`}`}
      title="Announcement"
      actions={(value) => (
        <>
          {announcementActs(value).map((question) => (
            <ActButton key={question.action} {...question} />
          ))}
          <button type="button" onClick={() => print()}>
            Print the report
          </button>
        </>
      )}
    >
      {(value) => (
        <>
          <Report value={value} />
          <Retries value={value} />
          <Recipients id={id} filters={filters} value={value} />
        </>
      )}
    </Details>
  )
}

const STATES = [
  ['waiting', 'Waiting', 'it has not gone out yet'],
  ['doubtful', 'Doubtful', 'refused; it may concern everybody'],
  ['sent', 'Sent', 'accepted by the service, and no report yet'],
  ['delivered', 'Delivered', 'it is on the phone'],
  ['read', 'Read', ''],
  ['failed', 'Failed', 'refused, no phone number, or failed on its way'],
  ['skipped', 'Skipped', 'opted out, or with a person'],
  ['unknown', 'Unknown', 'it may have gone out'],
] as const

/** A person may print this report, for instance for the shop's owner. */
function Report({ value }: { value: AnnouncementView }) {
  const { total, key, state, reason, reasons } = value
  const ended = total - value.waiting - value.doubtful
  return (
    <section class="stack report">
      <h3 class="line">
        {key} <State name={state} />
      </h3>
      <progress max={Math.max(1, total)} value={ended} aria-label="Progress" />
      <p>
        {ended.toLocaleString('en')} of {plural(total, 'recipient')}
        {value.endsAbout !== undefined && (
          <>
            , until about <When at={value.endsAbout} />
          </>
        )}
      </p>
      {reason !== undefined && (
        <p class="cause warn">
          Paused{value.since !== undefined && ' since '}
          {value.since !== undefined && <When at={value.since} />}: {sentence(reason)}
        </p>
      )}
      <Shares value={value} />
      <Facts
        of={[
          ['Number', value.number !== 'default' && value.number],
          ['Per minute', value.perMinute.toLocaleString('en')],
          ['Made', <When key="m" at={value.createdAt} />],
          ['Ended', value.endedAt && <When at={value.endedAt} />],
          ...reasons.map(
            ({ state: why, reason: code, count }) => [REASONS[why](code), count.toLocaleString('en')] as const,
          ),
        ]}
      />
    </section>
  )
}

function Shares({ value }: { value: AnnouncementView }) {
  const { total, state } = value
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Recipients</th>
          <th scope="col">Count</th>
          <th scope="col">Share</th>
        </tr>
      </thead>
      <tbody>
        {STATES.map(([name, label, meaning]) => (
          <tr key={name}>
            <th scope="row">
              {name === 'waiting' && state === 'cancelled' ? 'Not sent' : label}{' '}
              <span class="muted small">{meaning}</span>
            </th>
            <td>{value[name].toLocaleString('en')}</td>
            <td>{shareOf(value[name], total)}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">All</th>
          <td>{total.toLocaleString('en')}</td>
          <td />
        </tr>
      </tbody>
    </table>
  )
}

const REASONS = {
  refused: (code: string) => `Refused: ${code}`,
  unknown: () => 'Unknown outcome',
  invalid: () => 'Bad row of the list',
} as const

function shareOf(count: number, total: number): string {
  return total === 0 ? '' : (count / total).toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 })
}

function Retries({ value }: { value: AnnouncementView }) {
  const retries = retriesOf(value)
  if (retries.length === 0 || value.state === 'cancelled') return null
  return (
    <section class="stack screen-only">
      <h3>Retry</h3>
      <p class="muted">Customers who have the message do not get it again.</p>
      <p class="line">
        {retries.map(({ label, ...question }) => (
          <ActButton key={label} label={label} may={mayAnnounce} {...question} />
        ))}
      </p>
    </section>
  )
}

function retriesOf({ id, key, reasons, failed }: AnnouncementView): (Question & { readonly label: string })[] {
  const done = (count: number) => `${plural(count, 'recipient')} wait again.`
  const act = (more: Partial<Extract<Act, { act: 'retry_announcement' }>>): Act => ({
    act: 'retry_announcement',
    announcement: id,
    ...more,
  })
  const byReason = reasons
    .filter(({ state }) => state !== 'invalid')
    .map(({ state, reason, count }) => ({
      label: `${reason} (${count.toLocaleString('en')})…`,
      title: `Send ${key} again to ${plural(count, 'recipient')} with ${reason}?`,
      text: state === 'unknown' ? 'It may have gone out to them: then they get it twice.' : 'Fix the cause first.',
      action: 'Retry',
      isDangerous: state === 'unknown',
      act: act({ reasons: [reason] }),
      done,
    }))
  const invalid = reasons.find(({ state }) => state === 'invalid')?.count ?? 0
  if (failed <= invalid) return byReason
  return [
    ...byReason,
    {
      label: 'All that failed…',
      title: `Send ${key} again to all that failed?`,
      text: 'Also to those whose message was accepted and failed on its way: once each.',
      action: 'Retry all',
      act: act({ failedLater: true }),
      done,
    },
  ]
}

function Recipients({ id, filters, value }: { id: string; filters: URLSearchParams; value: AnnouncementView }) {
  const state = filters.get('state') ?? undefined
  const options = STATES.map(([name, label]) => [name, label, value[name]] as const)
  return (
    <section class="stack screen-only">
      <div class="line">
        <h3>Recipients</h3>
        <span class="fill" />
        <ExportButton label="Export as CSV" asked={{ announcement: value.id, state }} />
        {mayReveal.value && (
          <ExportButton label="Export with numbers" asked={{ announcement: value.id, state, reveal: true }} />
        )}
      </div>
      <Chips
        view="announcements"
        id={id}
        filters={filters}
        name="state"
        label="State"
        options={[['', 'All'], ...options]}
      />
      {mayReveal.value && <FindRecipient announcement={value.id} />}
      {value.recipients.length === 0 && (
        <p class="empty">
          {value.next === undefined ? 'No recipient.' : 'No match so far. Later recipients may match.'}
        </p>
      )}
      <RecipientRows rows={value.recipients} />
      <Pages view="announcements" id={id} filters={filters} next={value.next} />
    </section>
  )
}

function ExportButton({
  label,
  asked,
}: {
  label: string
  asked: { announcement: number; state?: string | undefined; reveal?: boolean }
}) {
  const save = () =>
    download('api/export', asked, `announcement-${asked.announcement}.csv`).catch((error: unknown) => {
      notice.value = reasonOf(error)
    })
  return (
    <button
      type="button"
      title={asked.reveal ? 'That is recorded' : 'Without numbers and columns'}
      onClick={() => void save()}
    >
      {label}
    </button>
  )
}

function FindRecipient({ announcement }: { announcement: number }) {
  const [found, setFound] = useState<readonly RecipientView[] | undefined>(undefined)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const box = (event.currentTarget as HTMLFormElement).elements.namedItem('number') as HTMLInputElement
    const text = box.value.trim()
    // A customer's number must not stay on the screen.
    box.value = ''
    if (text === '') return
    try {
      setFound((await post<FoundRecipients>('api/recipient', { announcement, text })).recipients)
    } catch (error) {
      notice.value = reasonOf(error)
    }
  }
  return (
    <>
      <form class="line" onSubmit={(event) => void submit(event)}>
        <input
          name="number"
          type="search"
          aria-label="Phone number"
          placeholder="Whole phone number"
          autocomplete="off"
        />
        <button type="submit">Find</button>
      </form>
      {found?.length === 0 && <p role="status">This number is not in the list.</p>}
      {found !== undefined && <RecipientRows rows={found} />}
    </>
  )
}

function RecipientRows({ rows }: { rows: readonly RecipientView[] }) {
  const linkOf = ({ handle }: RecipientView) => (handle === undefined ? undefined : linkTo('customers', { id: handle }))
  return (
    <Rows
      rows={rows}
      linkOf={linkOf}
      render={(row) => (
        <>
          <span class="states">
            <State name={row.state} />
          </span>
          <Customer customer={row.to} />
          <span class="what">
            {[row.reason, row.detail, 'columns' in row && JSON.stringify(row.columns)].filter(Boolean).join(' · ')}
          </span>
          <span class="ago">{row.at !== undefined && <When at={row.at} />}</span>
        </>
      )}
    />
  )
}
