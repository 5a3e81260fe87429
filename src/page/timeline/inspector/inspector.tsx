import { useComputed } from '@preact/signals'
import { Icon } from '../../../ui/components/icon.tsx'
import { Menu } from '../../../ui/components/menu.tsx'
import { formatDateTime } from '../../../ui/text/time.ts'
import {
  copyAsCurl,
  copyAsFixture,
  copyAsTest,
  duplicate,
  isEditing,
  replay,
  replayExactly,
  startEdit,
} from '../actions.ts'
import { details, openedRow } from '../details.ts'
import type { Row } from '../rows/table.ts'
import { closeAndReturn } from '../shortcuts.ts'
import { EditForm } from './edit-form.tsx'
import { RowExplanation } from './row-explanation.tsx'
import { Tabs } from './tabs.tsx'

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
          onClick={closeAndReturn}
        >
          <Icon name="close" />
        </button>
      </header>
      {row ? (
        <RowDetails row={row} />
      ) : (
        <p class="empty">This row is no longer kept: the emulator keeps the latest 20,000 happenings of its run.</p>
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
    <div class="inspector-actions" role="group" aria-label="What to do with it">
      {isDelivery && (
        <>
          <button type="button" title="Once more, signed now (r)" onClick={replay}>
            Replay
          </button>
          <button type="button" title="The same bytes, timestamp and signature once more" onClick={replayExactly}>
            Byte for byte
          </button>
          <button
            type="button"
            title="Change it and send it as a new event (e)"
            aria-pressed={isEditing.value}
            onClick={startEdit}
          >
            Edit &amp; send
          </button>
          <button type="button" title="Twice at once, under one id (d)" onClick={duplicate}>
            Duplicate
          </button>
        </>
      )}
      <CopyMenu isDelivery={isDelivery} />
    </div>
  )
}

function CopyMenu({ isDelivery }: { isDelivery: boolean }) {
  return (
    <Menu
      class="copy-menu"
      items={[
        { label: copyLabel('as curl'), title: 'The same request for a shell (c)', run: copyAsCurl },
        {
          label: copyLabel('as fixture'),
          title: 'For a file of a test, or for switchhook trigger --data',
          run: copyAsFixture,
        },
        ...(isDelivery
          ? [{ label: copyLabel('as test'), title: 'A test with switchhook/testing', run: copyAsTest }]
          : []),
      ]}
    >
      Copy
    </Menu>
  )
}

/** Completes the label for a screen reader: the menu's own button says “Copy” to everybody else. */
function copyLabel(form: string) {
  return (
    <>
      <span class="visually-hidden">Copy </span>
      {form}
    </>
  )
}
