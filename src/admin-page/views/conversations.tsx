import type { ConversationSummary, TimerSummary } from '../../admin/api.ts'
import { formatSpan } from '../../ui/text/time.ts'
import { askFirst } from '../acts/ask-first.tsx'
import { NumberFilter } from '../list/chips.tsx'
import { List } from '../list/list.tsx'
import { usePages } from '../list/pages.ts'
import { versions } from '../state/live.ts'
import { linkTo } from '../state/place.ts'
import { visitor } from '../state/visitor.ts'
import { Reveal } from '../parts/reveal.tsx'
import { Customer, plural } from '../parts/words.tsx'

/** Conversations that are open, and what comes due at a time. */
export function Conversations({ filters }: { filters: URLSearchParams }) {
  const query = filters.toString()
  const suffix = query === '' ? '' : `?${query}`
  const [path, timersPath] = [`api/conversations${suffix}`, `api/timers${suffix}`]
  const open = usePages<ConversationSummary>(path, versions.value.conversations)
  const timers = usePages<TimerSummary>(timersPath, versions.value.timers)
  return (
    <div class="page list-page two-lists">
      <div class="page-head">
        <h2>Conversations</h2>
        <NumberFilter view="conversations" filters={filters} numbers={visitor.value?.numbers ?? []} />
        <span class="fill" />
        <Reveal path={path} />
      </div>
      <List
        label="Open conversations"
        pages={open}
        keyOf={({ id }) => id}
        linkOf={({ handle }) => linkTo('customers', { id: handle })}
        render={(row) => <ConversationRow row={row} />}
        empty="No conversation is open."
      />
      <h3>Timers</h3>
      <List
        label="Timers"
        pages={timers}
        keyOf={({ handle, kind, dueAt }) => `${handle}/${kind}/${dueAt}`}
        linkOf={({ handle }) => linkTo('customers', { id: handle })}
        render={(row) => (
          <>
            <span class="event mono">{row.kind.replaceAll('_', ' ')}</span>
            <Customer customer={row.customer} number={row.number} />
            <span class="what" />
            <Due at={row.dueAt} />
          </>
        )}
        empty="Nothing comes due."
      />
    </div>
  )
}

function ConversationRow({ row }: { row: ConversationSummary }) {
  return (
    <>
      <b class="event">{row.name}</b>
      <Customer customer={row.customer} number={row.number} />
      <span class="what">
        {plural(row.steps, 'step')}
        {row.waits && `, waits for ${row.waits.for === 'answer' ? 'an answer' : 'a time'}`}
      </span>
      <Due at={row.waits?.until} />
    </>
  )
}

export function Due({ at }: { at: string | undefined }) {
  if (at === undefined) return <span class="ago">–</span>
  const ms = Date.parse(at) - Date.now()
  return (
    <span class="ago" title={at}>
      {ms <= 0 ? 'due' : `in ${formatSpan(ms)}`}
    </span>
  )
}

export function askToEnd({ id, name }: ConversationSummary): void {
  askFirst({
    title: `End “${name}”?`,
    text: 'The customer’s next message is taken as a new one. Nothing is sent now.',
    action: 'End it',
    isGrave: true,
    act: { act: 'end_conversation', conversation: id },
    done: () => 'The conversation is ended.',
  })
}
