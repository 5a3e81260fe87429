import type { Health } from '../../admin/api.ts'
import type { AnnouncementSummary } from '../../features/announcements/announcement-api.ts'
import type { Act } from '../../admin/requests.ts'
import { Facts } from '../ui/components/body.tsx'
import { ActButton, type Question } from './ask-first.tsx'
import { List, NumberFilter } from './list.tsx'
import { plural, sentence, State, When } from './parts.tsx'
import { linkTo } from './address.ts'
import { mayAnnounce } from './server.ts'

export function Announcements({ filters }: { filters: URLSearchParams }) {
  return (
    <List<AnnouncementSummary>
      view="announcements"
      path="api/announcements"
      filters={filters}
      chips={<NumberFilter view="announcements" filters={filters} />}
      empty="No announcements yet. bot.announce() makes one."
    >
      {(rows) => rows.map((row) => <AnnouncementCard key={row.id} row={row} />)}
    </List>
  )
}

function AnnouncementCard({ row }: { row: AnnouncementSummary }) {
  const ended = row.total - row.waiting
  return (
    <section class="announcement stack">
      <div class="line">
        <h3>
          <a href={linkTo('announcements', { id: row.id })}>{row.key}</a>
        </h3>
        <State name={row.state} />
        <span class="fill" />
        <span class="line">
          {announcementActs(row).map((question) => (
            <ActButton key={question.action} {...question} />
          ))}
        </span>
      </div>
      <progress max={Math.max(1, row.total)} value={ended} aria-label={`Progress of ${row.key}`} />
      <p>
        {ended.toLocaleString('en')} of {plural(row.total, 'recipient')}
        {row.state === 'storing' &&
          ': its recipients are still being stored. If its process ended, call announce again'}
      </p>
      {row.reason !== undefined && <p class="cause warn">{sentence(row.reason)}</p>}
      <Facts
        of={[
          ['Sent', row.sent.toLocaleString('en')],
          ['Failed', row.failed > 0 && row.failed.toLocaleString('en')],
          ['Doubtful', row.doubtful > 0 && row.doubtful.toLocaleString('en')],
          ['Skipped', row.skipped > 0 && row.skipped.toLocaleString('en')],
          ['Unknown', row.unknown > 0 && row.unknown.toLocaleString('en')],
          [row.state === 'cancelled' ? 'Not sent' : 'Waiting', row.waiting > 0 && row.waiting.toLocaleString('en')],
          ['Per minute', row.perMinute.toLocaleString('en')],
          ['Number', row.number !== 'default' && row.number],
          ['Made', <When key="m" at={row.createdAt} />],
          ['Ended', row.endedAt && <When at={row.endedAt} />],
        ]}
      />
    </section>
  )
}

export function announcementProblems({ pausedByError }: Health) {
  return pausedByError.map((row) => <PausedAnnouncement key={row.id} row={row} />)
}

function PausedAnnouncement({ row }: { row: AnnouncementSummary }) {
  return (
    <div class="cause line">
      <p>
        <b>
          Announcement <a href={linkTo('announcements', { id: row.id })}>{row.key}</a> is paused
        </b>
        {row.since !== undefined && (
          <>
            {' '}
            since <When at={row.since} />
          </>
        )}
        . {sentence(row.reason ?? '')}
      </p>
      {announcementActs(row)
        .filter(({ action }) => action === 'Resume')
        .map((question) => (
          <ActButton key={question.action} {...question} />
        ))}
    </div>
  )
}

type To = Extract<Act, { act: 'announcement' }>['to']

export function announcementActs({
  id,
  key,
  state,
  waiting,
}: Pick<AnnouncementSummary, 'id' | 'key' | 'state' | 'waiting'>): Question[] {
  const act = (to: To): Act => ({ act: 'announcement', announcement: id, to })
  const left = plural(waiting, 'recipient')
  const pause: Question = {
    title: `Pause ${key}?`,
    text: 'Messages that are under way still go out.',
    action: 'Pause',
    act: act('paused'),
    done: () => 'The announcement is paused.',
  }
  const resume: Question = {
    title: `Resume ${key}?`,
    text: `It reaches ${left}, except those who opted out.`,
    action: 'Resume',
    act: act('running'),
    done: () => 'The announcement continues.',
  }
  const cancel: Question = {
    title: `Cancel ${key}?`,
    text: `${left} will not get it. You cannot undo this.`,
    action: 'Cancel it',
    isDangerous: true,
    act: act('cancelled'),
    done: () => 'The announcement is cancelled.',
  }
  const isPaused = state === 'paused'
  const all = isPaused || state === 'running' || state === 'storing' ? [isPaused ? resume : pause, cancel] : []
  return all.map((question) => ({ ...question, may: mayAnnounce }))
}
