import type { ComponentChildren } from 'preact'
import type { Health, ThrottleView } from '../../admin/api.ts'
import { formatSpan } from '../../ui/text/time.ts'
import { ActButton } from '../acts/ask-first.tsx'
import { health } from '../state/live.ts'
import { linkTo } from '../state/place.ts'
import { Plot } from '../parts/plot.tsx'
import { counted, plural, sentence, When } from '../parts/words.tsx'

/** How the bot stands, and what waits for a person. */
export function Overview() {
  const now = health.value
  if (now === undefined) return <p class="empty">Reading…</p>
  return (
    <div class="scroll page overview">
      <NeedsYou now={now} />
      <section aria-label="Now">
        <h2>Now</h2>
        <div class="tiles">
          <Tile title="Deliveries a minute" value={now.process.perMinute} />
          <Tile title="Waiting" value={now.waiting.deliveries + now.waiting.items} hint={lagText(now)} />
          <Tile
            title="Sends waiting"
            value={now.waiting.sends}
            href={linkTo('sends', { filters: { state: 'ready' } })}
          />
          <Tile
            title="Scheduled"
            value={counted(now.sends.scheduled)}
            href={linkTo('sends', { filters: { state: 'scheduled' } })}
          />
          <Tile title="Open conversations" value={counted(now.conversations)} href={linkTo('conversations')} />
          <Tile
            title="Failures in a row"
            value={`${now.process.failuresInARow} of 20`}
            tone={now.process.failuresInARow > 0 ? 'warn' : ''}
            hint="At 20 the service disables the endpoint."
          />
        </div>
      </section>
      <Plots now={now} />
    </div>
  )
}

function lagText({ lagMs, waiting: { deliveries, items } }: Health): string {
  if (deliveries + items === 0) return 'Nobody waits.'
  return lagMs < 1_000 ? 'All are under way.' : `The next has waited ${formatSpan(lagMs)}.`
}

interface TileProps {
  readonly title: string
  readonly value: number | string
  readonly hint?: string
  readonly href?: string
  readonly tone?: string
}

function Tile({ title, value, hint, href, tone = '' }: TileProps) {
  const content: ComponentChildren = (
    <>
      <span class="tile-title">{title}</span>
      <b>{typeof value === 'number' ? value.toLocaleString('en') : value}</b>
      {hint !== undefined && <span class="muted">{hint}</span>}
    </>
  )
  if (href === undefined) return <div class={`tile ${tone}`}>{content}</div>
  return (
    <a class={`tile ${tone}`} href={href}>
      {content}
    </a>
  )
}

const RESTING: Readonly<Record<keyof Health['resting'], readonly [title: string, hint: string]>> = {
  dead: ['Dead', 'Handlers failed too often. Mend the cause, then retry.'],
  parked: ['Parked', 'Not understood for sure. Mend the mapping or the lock, then retry.'],
  quarantined: ['Quarantined', 'Nothing could be read of them.'],
  conflict: ['Conflict', 'One id, other bytes.'],
  suspected_replay: ['Suspected replay', 'Old bytes under a new id.'],
}

const SENDS = [
  ['unknown', 'Unknown sends', 'The service may have taken them. Look at the phone, then say what happened.'],
  ['held', 'Held sends', 'They wait for a word of yours.'],
] as const

/** Things that nobody but a person puts right; one quiet line if there are none. */
function NeedsYou({ now }: { now: Health }) {
  const resting = Object.entries(RESTING).filter(([state]) => now.resting[state as keyof Health['resting']] > 0)
  const { unknown, held } = now.sends
  const isFine = resting.length === 0 && unknown === 0 && held === 0 && now.throttled.length === 0
  return (
    <section aria-label="Needs a person">
      <h2>Needs a person</h2>
      {isFine && <p class="fine">Nothing. Every message was handled, and every reply has an answer.</p>}
      <div class="tiles">
        {resting.map(([state, [title, hint]]) => (
          <Tile
            key={state}
            tone={state === 'dead' ? 'bad' : 'warn'}
            title={title}
            value={counted(now.resting[state as keyof Health['resting']])}
            hint={hint}
            href={linkTo('deliveries', { filters: { state } })}
          />
        ))}
        {SENDS.filter(([state]) => now.sends[state] > 0).map(([state, title, hint]) => (
          <Tile
            key={state}
            tone="warn"
            title={title}
            value={counted(now.sends[state])}
            hint={hint}
            href={linkTo('sends', { filters: { state } })}
          />
        ))}
      </div>
      {now.throttled.map((throttle) => (
        <Throttle key={throttle.number} throttle={throttle} />
      ))}
      {now.restoredHeld !== undefined && <Restored held={now.restoredHeld} />}
    </section>
  )
}

function Throttle({ throttle }: { throttle: ThrottleView }) {
  const { number, stopped, since, until, code, toDo } = throttle
  return (
    <div class="cause">
      <p>
        <b>
          Number {number} {stopped ? 'sends nothing' : 'is paused'}
        </b>{' '}
        since <When at={since} />
        {until !== undefined && (
          <>
            {' '}
            until <When at={until} />
          </>
        )}
        {code !== undefined && <code> {code}</code>}. {sentence(toDo)}
      </p>
      <ActButton
        label="Resume"
        title={`Let number ${number} send again?`}
        text="What waits goes out at once. Do it after the cause is mended."
        action="Resume"
        act={{ act: 'resume', number }}
        done={() => `Number ${number} sends again.`}
      />
    </div>
  )
}

function Restored({ held }: { held: number }) {
  return (
    <div class="cause">
      <p>
        <b>The database was brought back from a backup.</b> {plural(held, 'send')} of before may have gone out since,
        and are held.
      </p>
      <ActButton
        label="Let them go"
        title={`Send ${plural(held, 'held message')}?`}
        text="Customers who got them before the database was brought back get them again."
        action="Send them"
        isGrave
        act={{ act: 'resume', restored: true }}
        done={(count) => `${plural(count, 'send')} let go.`}
      />
    </div>
  )
}

function Plots({ now }: { now: Health }) {
  const { plot, since, role, lanes } = now.process
  const hint = `in ${formatSpan(plot.spanMs)}`
  return (
    <section aria-label="This process">
      <h2>
        This process <span class="muted">since {<When at={since} />}</span>
      </h2>
      <div class="plots">
        <Plot title="Accepted" values={plot.accepted} hint={hint} />
        <Plot title="Handled, failed" values={plot.handled} bad={plot.failed} hint={hint} />
        <Plot title="Sent, not sent" values={plot.sent} bad={plot.unsent} hint={hint} />
        <Plot
          title="Longest wait"
          values={plot.waitedMs}
          hint={hint}
          format={(ms) => (ms < 1_000 ? `${ms} ms` : formatSpan(ms))}
        />
      </div>
      <p class="muted">
        Role {role}; in hand: {plural(lanes.items, 'conversation lane')}, {plural(lanes.sends, 'send lane')}. Other
        processes of this bot have their own plots; the counts above are of all.
      </p>
    </section>
  )
}
