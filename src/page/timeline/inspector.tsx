import { useComputed, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Body, Headers } from '../../ui/components/body.tsx'
import { Icon } from '../../ui/components/icon.tsx'
import { parseJsonObject } from '../../ui/text/json.ts'
import { formatDateTime } from '../../ui/text/time.ts'
import { openSection, type SectionName } from '../state/view.ts'
import { explainRefusal } from '../text/refusals.ts'
import type { Call, Delivery } from '../wire/types.ts'
import { DELIVERY_PANELS } from './delivery.tsx'
import {
  attemptIndex,
  chosenAttempt,
  closeDetails,
  copyAsCurl,
  copyAsFixture,
  details,
  duplicate,
  isEditing,
  replay,
  replayExactly,
} from './details.ts'
import { EditForm } from './edit-form.tsx'
import type { Row, RowKind } from './rows/table.ts'
import { openedRow } from './state.ts'

export function Inspector() {
  const row = openedRow.value
  return (
    <section class="inspector" aria-label="Details">
      <header class="inspector-head">
        <div class="inspector-title">{row ? <Title row={row} /> : <h3>Details</h3>}</div>
        <button
          type="button"
          class="quiet icon-button"
          aria-label="Close the details"
          title="Close (Esc)"
          onClick={closeDetails}
        >
          <Icon name="close" />
        </button>
      </header>
      {row ? (
        <RowDetails row={row} />
      ) : (
        <p class="empty">This row is no longer kept: the emulator keeps the latest 20,000 entries of its run.</p>
      )}
    </section>
  )
}

function Title({ row }: { row: Row }) {
  return (
    <>
      <h3>{row.title}</h3>
      {row.outcome && <span class={`chip ${row.outcome.tone}`}>{row.outcome.label}</span>}
      <span class="muted small">
        {row.attempt !== undefined && row.attempt > 1 && `attempt ${row.attempt} · `}
        <time dateTime={row.at}>{formatDateTime(row.at)}</time>
        {row.customer !== undefined && ` · ${row.customer}`}
      </span>
    </>
  )
}

function RowDetails({ row }: { row: Row }) {
  const read = useComputed(() => details.value).value
  if (row.call === undefined && row.delivery === undefined) return <RowExplanation row={row} />
  if (read.problem !== undefined) return <p class="empty">{read.problem}</p>
  if (read.of !== (row.delivery ?? row.call) || !(read.call ?? read.delivery)) return <p class="empty">Reading…</p>
  return (
    <>
      <Actions isDelivery={read.delivery !== undefined} />
      {isEditing.value && read.delivery ? (
        <EditForm key={read.of} delivery={read.delivery} />
      ) : (
        <Tabs key={read.of} row={row} call={read.call} delivery={read.delivery} />
      )}
    </>
  )
}

/** The actions of the open row. A call can only be copied, since only the app can call. */
function Actions({ isDelivery }: { isDelivery: boolean }) {
  return (
    <div class="inspector-actions" role="group" aria-label="Actions">
      {isDelivery && (
        <>
          <button type="button" title="Deliver again, signed now (r)" onClick={replay}>
            Replay
          </button>
          <button type="button" title="Deliver the same bytes, timestamp and signature again" onClick={replayExactly}>
            Byte for byte
          </button>
          <button type="button" title="Deliver twice at once, under one id" onClick={duplicate}>
            Duplicate
          </button>
          <button
            type="button"
            title="Change it and send it as a new event"
            aria-pressed={isEditing.value}
            onClick={() => (isEditing.value = true)}
          >
            Edit &amp; send
          </button>
          <button type="button" title="For a test, or for switchhook trigger --data" onClick={copyAsFixture}>
            Copy as fixture
          </button>
        </>
      )}
      <button type="button" title="The same request for a shell" onClick={copyAsCurl}>
        Copy as curl
      </button>
    </div>
  )
}

interface TabsProps {
  readonly row: Row
  readonly call: Call | undefined
  readonly delivery: Delivery | undefined
}

interface Tab {
  readonly name: string
  readonly content: () => ComponentChildren
}

/** The tabs of the details: request and response, and for a delivery its attempts and signature. */
function Tabs({ row, call, delivery }: TabsProps) {
  const tabs = call ? tabsOfCall(call) : delivery ? tabsOfDelivery(row, delivery) : []
  const at = useSignal(0)
  const list = useRef<HTMLDivElement>(null)
  const current = tabs[at.value] ?? tabs[0]
  const go = (to: number) => {
    at.value = (to + tabs.length) % tabs.length
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[at.value]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowRight: at.value + 1, ArrowLeft: at.value - 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    go(to)
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label="Details" ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ name }, index) => (
          <button
            type="button"
            key={name}
            role="tab"
            id={`tab-${name}`}
            aria-selected={index === at.value}
            aria-controls="details-panel"
            tabIndex={index === at.value ? 0 : -1}
            onClick={() => (at.value = index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        class="scroll panel"
        id="details-panel"
        role="tabpanel"
        tabIndex={0}
        aria-labelledby={`tab-${current?.name}`}
      >
        {current?.content()}
      </div>
    </>
  )
}

function tabsOfCall(call: Call): Tab[] {
  return [
    { name: 'Request', content: () => <CallRequest call={call} /> },
    { name: 'Response', content: () => <CallResponse call={call} /> },
  ]
}

function tabsOfDelivery(row: Row, delivery: Delivery): Tab[] {
  const index = attemptIndex(delivery, row, chosenAttempt.value)
  return Object.entries(DELIVERY_PANELS).map(([name, Panel]) => ({
    name,
    content: () => <Panel delivery={delivery} index={index} />,
  }))
}

function CallRequest({ call: { method, path, request } }: { call: Call }) {
  return (
    <>
      <p class="mono line">
        <b>{method}</b> {path}
      </p>
      <Headers headers={request.headers} />
      {request.body === null ? (
        <p class="cause fine">
          <b>Withheld. </b>
          This body may hold a one-time code, or cannot be read as text. A code is on the handset alone: in no log, no
          file and no inspector.
        </p>
      ) : (
        <Body text={request.body} />
      )}
    </>
  )
}

/** The ways in which a fault spoils an answer. */
const SPOILT_ANSWERS: Readonly<Record<string, string>> = {
  cut: 'The connection was closed in place of this answer: the app does not know what became of its call.',
  reset: 'The connection was reset in place of this answer: the app does not know what became of its call.',
  half: 'Half of this answer went out, then the connection was cut: the app does not know what became of its call.',
  never: 'This answer never went out: the app waits until it gives up.',
}

function CallResponse({ call: { status, tookMs, response, spoilt } }: { call: Call }) {
  const rule = explainRefusal(codeIn(response.body))
  return (
    <>
      <p class="line">
        <b>{status}</b> <span class="muted">after {tookMs} ms</span>
      </p>
      {spoilt !== undefined && (
        <p class="cause">
          <b>A fault. </b>
          {SPOILT_ANSWERS[spoilt] ?? spoilt}
        </p>
      )}
      {rule && (
        <p class="cause">
          <b>{rule.rule}. </b>
          {rule.text}
        </p>
      )}
      <Headers headers={response.headers} />
      <Body text={response.body} />
    </>
  )
}

function codeIn(body: string): string | null {
  const code = parseJsonObject(body)?.['code']
  return typeof code === 'string' ? code : null
}

/** The rule behind each kind of row that is no call and no delivery, and the section that changes it. */
const EXPLANATIONS: Readonly<
  Partial<Record<RowKind, { readonly text: string; readonly section: SectionName; readonly button: string }>>
> = {
  window: {
    text: 'For 24 hours after a customer’s last message free-form messages go out; after that, templates alone.',
    section: 'time',
    button: 'Show the time and the window',
  },
  agent: {
    text: 'The service’s own AI agent answers until the app or a person does; then it is silent for its takeover window, or until the customer writes BOT.',
    section: 'agent',
    button: 'Show the AI agent',
  },
  clock: {
    text: 'What became due by the jump happened at once. Signatures carry this machine’s time, so that receivers do not find them stale.',
    section: 'time',
    button: 'Show the time',
  },
  endpoint: {
    text: 'Twenty failures in a row disable an endpoint. Registering its address again mends that, under a new secret.',
    section: 'endpoint',
    button: 'Show the endpoints',
  },
  event: {
    text: 'Nobody was subscribed to it, so it went to nobody: events that were missed cannot be fetched later.',
    section: 'endpoint',
    button: 'Register an endpoint',
  },
}

/** The details of such a row: its texts, the explanation, and a button to the section. */
function RowExplanation({ row }: { row: Row }) {
  const explanation = EXPLANATIONS[row.kind]
  return (
    <div class="scroll panel">
      {(row.detail ?? row.note) !== undefined && (
        <p class="line">{[row.detail, row.note].filter((part) => part !== undefined).join(' · ')}</p>
      )}
      {explanation && <p>{explanation.text}</p>}
      {explanation && (
        <p>
          <button type="button" onClick={() => openSection(explanation.section)}>
            {explanation.button}
          </button>
        </p>
      )}
    </div>
  )
}
