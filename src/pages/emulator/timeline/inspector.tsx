import { useComputed } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Body, Headers } from '../../ui/components/body.tsx'
import { formatTimeWithSeconds } from '../../ui/text/time.ts'
import type { Call, Delivery } from '../wire/wire-types.ts'
import { deliverySections } from './delivery.tsx'
import { attemptIndex, copyAsFixture, details, redeliver } from './details.ts'
import { type Row, SPOILT_ANSWERS } from './timeline-rows.ts'
import { closeDetails, openedRow } from './state.ts'

export function Inspector() {
  const row = openedRow.value
  return (
    <section class="inspector" aria-label="Details">
      <header class="bar line">
        {row ? <Title row={row} /> : <h3>Details</h3>}
        <span class="fill" />
        {details.value.delivery !== undefined && <Actions />}
        <button type="button" class="quiet" aria-label="Close the details" title="Close (Esc)" onClick={closeDetails}>
          ✕
        </button>
      </header>
      {row ? (
        <RowDetails row={row} />
      ) : (
        <p class="empty">This row is no longer available: the page keeps the latest 5,000 entries.</p>
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
        <time dateTime={row.at}>{formatTimeWithSeconds(row.at)}</time>
      </span>
    </>
  )
}

function RowDetails({ row }: { row: Row }) {
  const read = useComputed(() => details.value).value
  if (row.call === undefined && row.delivery === undefined)
    return <p class="bar">{[row.detail, row.note].filter((part) => part !== undefined).join(' · ')}</p>
  if (read.problem !== undefined) return <p class="empty">{read.problem}</p>
  if (read.of !== (row.delivery ?? row.call) || !(read.call ?? read.delivery)) return <p class="empty">Reading…</p>
  return <Sections key={read.of} row={row} call={read.call} delivery={read.delivery} />
}

function Actions() {
  return (
    <div class="line" role="group" aria-label="Actions">
      <button type="button" title="Deliver again, signed now" onClick={redeliver}>
        Replay
      </button>
      <button type="button" title="For a test, or for switchhook trigger --data" onClick={copyAsFixture}>
        Copy as fixture
      </button>
    </div>
  )
}

function Sections({ row, call, delivery }: { row: Row; call: Call | undefined; delivery: Delivery | undefined }) {
  const sections: Readonly<Record<string, ComponentChildren>> = call
    ? { Request: <CallRequest call={call} />, Response: <CallResponse call={call} /> }
    : delivery
      ? deliverySections(delivery, attemptIndex(delivery, row))
      : {}
  return (
    <div class="scroll" tabIndex={0}>
      {Object.entries(sections).map(([name, content]) => (
        <details key={name} class="more" open>
          <summary>{name}</summary>
          <div class="stack">{content}</div>
        </details>
      ))}
    </div>
  )
}

function CallRequest({ call: { method, path, request } }: { call: Call }) {
  return (
    <>
      <p class="mono line">
        <b>{method}</b> {path}
      </p>
      <Headers headers={request.headers} />
      {request.body === null ? (
        <p class="cause info">
          <b>Withheld. </b>
          This body may hold a one-time code, or cannot be read as text. A code is only on the handset: in no log, no
          file and no inspector.
        </p>
      ) : (
        <Body text={request.body} />
      )}
    </>
  )
}

function CallResponse({ call: { status, tookMs, response, spoilt } }: { call: Call }) {
  return (
    <>
      <p class="line">
        <b>{status}</b> <span class="muted">after {tookMs} ms</span>
      </p>
      {spoilt !== undefined && (
        <p class="cause">
          <b>A fault. </b>
          {SPOILT_ANSWERS[spoilt]?.[1]}
        </p>
      )}
      <Headers headers={response.headers} />
      <Body text={response.body} />
    </>
  )
}
