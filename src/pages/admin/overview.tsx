import type { Health, ThrottleView } from '../../admin/api.ts'
import { formatSpan } from '../ui/text/time.ts'
import { ActButton } from './ask-first.tsx'
import { FEATURES } from './features.tsx'
import { counted, plural, sentence, Tile, When } from './parts.tsx'
import { linkTo } from './address.ts'
import { desk, health } from './server.ts'
import { Trend } from './trend.tsx'

export function Overview() {
  const now = health.value
  if (now === undefined) return <p class="empty">Reading…</p>
  return (
    <div class="scroll overview">
      <NeedsPerson now={now} />
      <section aria-label="Now">
        <h2>Now</h2>
        <div class="tiles">
          <Tile title="Waiting" value={now.waiting.deliveries + now.waiting.items} hint={lagText(now)} />
          <Tile
            title="Sends waiting"
            value={counted(now.sends.ready)}
            href={linkTo('sends', { filters: { state: 'ready' } })}
          />
          <Tile
            title="Scheduled"
            value={counted(now.sends.scheduled)}
            href={linkTo('sends', { filters: { state: 'scheduled' } })}
          />
          <Tile title="With a person" value={counted(now.takenOver)} />
          {Object.values(FEATURES).map(({ tiles }) => tiles?.(now))}
          <Tile
            title="Failures in a row"
            value={`${now.failuresInARow} of 20`}
            tone={now.failuresInARow > 0 ? 'warn' : ''}
            hint="At 20 the service disables the endpoint."
          />
        </div>
      </section>
      <Trend />
    </div>
  )
}

function lagText({ lagMs, waiting: { deliveries, items } }: Health): string {
  if (deliveries + items === 0) return 'No message waits.'
  return lagMs < 1_000 ? 'All are under way.' : `The next has waited ${formatSpan(lagMs)}.`
}

const NEEDS_PERSON: Readonly<Record<keyof Health['resting'], readonly [title: string, hint: string]>> = {
  dead: ['Dead', 'Handlers failed too often. Fix the cause, then retry.'],
  parked: ['Parked', 'A fact is missing or in doubt. Correct the option facts, then retry.'],
  quarantined: ['Quarantined', 'The payload cannot be read.'],
  conflict: ['Conflict', 'A known id with other bytes.'],
  suspected_replay: ['Suspected replay', 'Known bytes with a new id.'],
}

const SENDS = [
  ['unknown', 'Unknown sends', 'The service may have accepted them. Check the phone, then report what happened.'],
  ['held', 'Held sends', 'They wait for your decision.'],
] as const

function NeedsPerson({ now }: { now: Health }) {
  const resting = Object.entries(NEEDS_PERSON).filter(([state]) => now.resting[state as keyof Health['resting']] > 0)
  const { unknown, held } = now.sends
  const waiting = now.customersWaiting
  const ofFeatures = Object.values(FEATURES).flatMap(({ problems }) => problems?.(now) ?? [])
  const isFine = resting.length + unknown + held + now.throttled.length + ofFeatures.length + waiting === 0
  return (
    <section aria-label="Needs a person">
      <h2>Needs a person</h2>
      {isFine && <p>Nothing. Every message was handled, and every reply was accepted.</p>}
      <div class="tiles">
        {waiting > 0 && (
          <Tile
            tone="warn"
            title="Customers wait"
            value={counted(waiting)}
            hint={
              desk.value === undefined
                ? 'They wait for a person. Answer them at the desk.'
                : 'Open the desk to answer them.'
            }
            {...(desk.value !== undefined && { href: desk.value })}
          />
        )}
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
      {ofFeatures}
      {now.restoredHeld !== undefined && <Restored held={now.restoredHeld} />}
    </section>
  )
}

function Throttle({ throttle }: { throttle: ThrottleView }) {
  const { number, stopped, since, until, code, toDo } = throttle
  return (
    <div class="cause line">
      <p>
        <b>
          Number {number} {stopped ? 'does not send' : 'is paused'}
        </b>{' '}
        since <When at={since} />
        {until !== undefined && (
          <>
            {' '}
            until <When at={until} />
          </>
        )}
        {code !== undefined && (
          <>
            {' '}
            <code>{code}</code>
          </>
        )}
        . {sentence(toDo)}
      </p>
      <ActButton
        label="Resume"
        title={`Let number ${number} send again?`}
        text="Waiting messages go out at once. Fix the cause first."
        action="Resume"
        act={{ act: 'resume', number }}
        done={() => `Number ${number} sends again.`}
      />
    </div>
  )
}

function Restored({ held }: { held: number }) {
  return (
    <div class="cause line">
      <p>
        <b>The database was restored from a backup.</b> {plural(held, 'send')} may have gone out after that backup, and
        are held.
      </p>
      <ActButton
        label="Release them"
        title={`Send ${plural(held, 'held message')}?`}
        text="Customers who already got them get them again."
        action="Send them"
        isDangerous
        act={{ act: 'resume', restored: true }}
        done={(count) => `${plural(count, 'send')} released.`}
      />
    </div>
  )
}
