import type { ComponentProps } from 'preact'
import type { SendSummary, SendView } from '../../admin/api.ts'
import { Body, Facts } from '../ui/components/body.tsx'
import { ActButton } from './ask-first.tsx'
import { Chips, List, NumberFilter } from './list.tsx'
import { Customer, Details, sentence, State, toneOf, When } from './parts.tsx'
import { linkTo } from './address.ts'
import { health } from './server.ts'
import { SendRows } from './rows.tsx'

const STATES = [
  ['', 'All'],
  ['unknown', 'Unknown'],
  ['held', 'Held'],
  ['refused', 'Refused'],
  ['ready', 'Waiting'],
  ['attempting', 'Attempting'],
  ['scheduled', 'Scheduled'],
  ['accepted', 'Accepted'],
  ['skipped', 'Skipped'],
  ['cancelled', 'Cancelled'],
  ['dropped', 'Dropped'],
  ['lost_code', 'Lost code'],
] as const

export function Sends({ filters }: { filters: URLSearchParams }) {
  const counts: Readonly<Record<string, number>> = { ...health.value?.sends }
  const options = STATES.map(([value, label]) => [value, label, counts[value] ?? 0] as const)
  return (
    <List<SendSummary>
      view="sends"
      path="api/sends"
      filters={filters}
      chips={
        <>
          <Chips view="sends" filters={filters} name="state" label="State" options={options} />
          <NumberFilter view="sends" filters={filters} />
        </>
      }
      empty={filters.has('state') ? 'No send is in this state.' : 'Nothing was sent yet.'}
    >
      {(rows) => <SendRows rows={rows} />}
    </List>
  )
}

export function SendPage({ id }: { id: string }) {
  return (
    <Details<SendView>
      path={`api/sends/${encodeURIComponent(id)}`}
      title="Send"
      actions={(value) =>
        value.possible.map((what) => {
          const question = QUESTIONS[what]?.(value.id)
          return question && <ActButton key={what} {...question} />
        })
      }
    >
      {(value) => <SendDetails value={value} />}
    </Details>
  )
}

const QUESTIONS: Readonly<Record<string, (id: string) => ComponentProps<typeof ActButton>>> = {
  accepted: (send) => ({
    title: 'Did the message arrive?',
    text: 'Confirm only if you saw it on the phone or at the service. It is not sent again.',
    action: 'It arrived',
    act: { act: 'resolve', send, as: 'accepted' },
    done: () => 'The send counts as accepted.',
  }),
  resend: (send) => ({
    title: 'Send it again?',
    text: 'If the service accepted it the first time, the customer gets it twice.',
    action: 'Send again',
    isDangerous: true,
    act: { act: 'resolve', send, as: 'resend' },
    done: () => 'The message is sent again.',
  }),
  drop: (send) => ({
    title: 'Drop it?',
    text: 'If the service did not accept it, the customer never gets it.',
    action: 'Drop',
    isDangerous: true,
    act: { act: 'resolve', send, as: 'drop' },
    done: () => 'The send is dropped.',
  }),
  cancel: (send) => ({
    label: 'Cancel it…',
    title: 'Cancel this send?',
    text: 'The customer does not get it.',
    action: 'Cancel the send',
    isDangerous: true,
    act: { act: 'cancel', send },
    done: () => 'The send is cancelled.',
  }),
}

function SendDetails({ value }: { value: SendView }) {
  return (
    <>
      <section class="stack">
        <p>
          <State name={value.state} /> <span class="mono">{value.via}</span>
        </p>
        <p class={`cause ${toneOf(value.state) || 'info'}`}>{sentence(value.why)}</p>
        <Facts
          of={[
            [
              'Customer',
              <a key="c" href={linkTo('customers', { id: value.handle })}>
                <Customer customer={value.customer} number={value.number} />
              </a>,
            ],
            ['Recorded', <When key="r" at={value.createdAt} />],
            ['Due', value.dueAt && <When at={value.dueAt} />],
            ['First attempt', value.firstAttemptAt && <When at={value.firstAttemptAt} />],
            ['Next attempt', value.nextAt && <When at={value.nextAt} />],
            ['Expires', value.expiresAt && <When at={value.expiresAt} />],
            ['Ended', value.settledAt && <When at={value.settledAt} />],
            ['Attempts', value.attempts],
            ['Code', value.code && <code>{value.code}</code>],
            ['Reason', value.reason],
            ['Possibly twice', value.possiblyTwice && 'yes: the answer of an earlier attempt was lost'],
            ['Template', value.template],
            ['Ref', value.ref],
            ['Idempotency key', value.key && <span class="mono">{value.key}</span>],
            ['Message id', value.messageId && <span class="mono">{value.messageId}</span>],
            ['Id', <span class="mono">{value.id}</span>],
          ]}
        />
      </section>
      {value.statuses.length > 0 && <Statuses of={value.statuses} />}
      <section class="stack">
        <h3>Body</h3>
        {value.codeWithheld && <p class="muted">It contained a one-time code, which is not stored.</p>}
        {value.body === undefined ? (
          <p class="muted">Its body was removed.</p>
        ) : (
          <Body text={JSON.stringify(value.body, null, 2)} />
        )}
        {value.fallback && (
          <>
            <h3>If the window is closed</h3>
            <Body text={JSON.stringify(value.fallback.body, null, 2)} />
          </>
        )}
      </section>
    </>
  )
}

function Statuses({ of }: { of: SendView['statuses'] }) {
  return (
    <section class="stack">
      <h3>Statuses from the service</h3>
      <ol class="stack">
        {of.map(({ status, at, reason }, index) => (
          <li key={index}>
            <State name={status} /> <When at={at} /> {reason !== undefined && <span>{reason}</span>}
          </li>
        ))}
      </ol>
    </section>
  )
}
