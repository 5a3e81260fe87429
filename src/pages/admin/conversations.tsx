import type { CustomerName, CustomerView, Health } from '../../admin/api.ts'
import type { ConversationSummary } from '../../features/conversations/conversation-api.ts'
import { linkTo } from './address.ts'
import { ActButton } from './ask-first.tsx'
import { List, NumberFilter } from './list.tsx'
import { counted, Customer, Due, plural, Tile, When } from './parts.tsx'
import { Rows } from './rows.tsx'
import { mayAct } from './server.ts'

export function Conversations({ filters }: { filters: URLSearchParams }) {
  return (
    <List<ConversationSummary>
      view="conversations"
      filters={filters}
      chips={<NumberFilter view="conversations" filters={filters} />}
      path="api/conversations"
      empty="No conversation is open."
    >
      {(rows) => (
        <Rows
          rows={rows}
          linkOf={({ handle }: CustomerName) => linkTo('customers', { id: handle })}
          render={(row) => <ConversationRow row={row} />}
        />
      )}
    </List>
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
      <Due what={row.waits?.for === 'answer' ? 'timeout ' : ''} at={row.waits?.until} />
    </>
  )
}

export function conversationTile({ conversations }: Health) {
  return <Tile title="Open conversations" value={counted(conversations)} href={linkTo('conversations')} />
}

export function openConversation({ conversation }: CustomerView) {
  return (
    conversation && (
      <p class="line">
        <span>
          <b>{conversation.name}</b> since <When at={conversation.openedAt} />, {plural(conversation.steps, 'step')}
        </span>
        <ActButton
          label="End…"
          title={`End “${conversation.name}”?`}
          text="The customer’s next message starts from the beginning. Nothing is sent now."
          action="End it"
          isDangerous
          act={{ act: 'end_conversation', conversation: conversation.id }}
          may={mayAct}
          done={() => 'The conversation is ended.'}
        />
      </p>
    )
  )
}
