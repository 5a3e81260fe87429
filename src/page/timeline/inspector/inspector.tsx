import { useComputed } from '@preact/signals'
import { clockText } from '../../parts/time.ts'
import { Icon } from '../../parts/icon.tsx'
import { editing } from '../actions.ts'
import { details, opened } from '../details.ts'
import { closeAndReturn } from '../shortcuts.ts'
import type { Row } from '../rows/row.ts'
import { Actions } from './actions.tsx'
import { EditForm } from './edit-form.tsx'
import { Plain } from './plain.tsx'
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
