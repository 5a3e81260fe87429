import { useComputed } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { clockText } from '../../text/time.ts'
import { copyAsCurl, copyAsFixture, copyAsTest, duplicate, edit, editing, replay, replayExactly } from '../actions.ts'
import { details, opened } from '../details.ts'
import type { Row } from '../rows/table.ts'
import { closeAndReturn } from '../shortcuts.ts'
import { EditForm } from './edit-form.tsx'
import { Plain } from './no-details.tsx'
import { Tabs } from './tabs.tsx'

/** All that is known of the open row. */
export function Inspector() {
  const row = opened.value
  return (
    <section class="inspector" aria-label="Details">
      <header class="inspector-head">
        <div class="inspector-title">{row ? <Title row={row} /> : <h3>Details</h3>}</div>
        <button type="button" class="quiet" aria-label="Close the details" title="Close (Esc)" onClick={closeAndReturn}>
          <Icon name="close" />
        </button>
      </header>
      {row ? (
        <Body row={row} />
      ) : (
        <p class="empty">This row is no longer kept: the emulator keeps the latest 20,000 happenings of its run.</p>
      )}
    </section>
  )
}

function Title({ row }: { row: Row }) {
  return (
    <>
      <h3>{row.what}</h3>
      {row.outcome && <span class={`chip ${row.outcome.tone}`}>{row.outcome.words}</span>}
      <span class="muted small">
        {row.attempt !== undefined && row.attempt > 1 && `attempt ${row.attempt} · `}
        <time dateTime={row.at}>{clockText(row.at)}</time>
        {row.customer !== undefined && ` · ${row.customer}`}
      </span>
    </>
  )
}

function Body({ row }: { row: Row }) {
  const known = useComputed(() => details.value).value
  if (row.call === undefined && row.delivery === undefined) return <Plain row={row} />
  if (known.problem !== undefined) return <p class="empty">{known.problem}</p>
  if (known.of !== (row.delivery ?? row.call) || !(known.call ?? known.delivery)) return <p class="empty">Reading…</p>
  return (
    <>
      <Actions isDelivery={known.delivery !== undefined} />
      {editing.value && known.delivery ? (
        <EditForm key={known.of} delivery={known.delivery} />
      ) : (
        <Tabs key={known.of} row={row} call={known.call} delivery={known.delivery} />
      )}
    </>
  )
}

/** What can be done with the open row; of a call nothing but copies, since only the app can call. */
export function Actions({ isDelivery }: { isDelivery: boolean }) {
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
            aria-pressed={editing.value}
            onClick={edit}
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
  const menu = useRef<HTMLDetailsElement>(null)
  const summary = useRef<HTMLElement>(null)
  const close = () => {
    if (menu.current) menu.current.open = false
  }
  const choices = [
    { words: 'as curl', title: 'The same request for a shell (c)', run: copyAsCurl },
    { words: 'as fixture', title: 'For a file of a test, or for switchhook trigger --data', run: copyAsFixture },
    ...(isDelivery ? [{ words: 'as test', title: 'A test with switchhook/testing', run: copyAsTest }] : []),
  ]
  return (
    <details
      class="copy-menu"
      ref={menu}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !menu.current?.open) return
        event.preventDefault()
        close()
        summary.current?.focus()
      }}
      onFocusOut={({ relatedTarget }) => {
        if (!menu.current?.contains(relatedTarget as Node | null)) close()
      }}
    >
      <summary ref={summary}>Copy</summary>
      <ul>
        {choices.map(({ words, title, run }) => (
          <li key={words}>
            <button
              type="button"
              class="quiet"
              title={title}
              onClick={() => {
                close()
                summary.current?.focus()
                run()
              }}
            >
              <span class="visually-hidden">Copy </span>
              {words}
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}
