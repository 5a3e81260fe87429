import { customers } from '../../state/threads.ts'
import { ConversationRow } from './conversation-row.tsx'
import { CustomerField } from './customer-field.tsx'

/** Everybody who has a conversation, the one who was heard of last first. */
export function Conversations() {
  const all = customers.value
  return (
    <section class="conversations" aria-label="Conversations">
      <CustomerField />
      {all.length === 0 ? (
        <p class="hint">Nobody has written yet. Write as the customer on the phone, and they stand here.</p>
      ) : (
        <ul aria-label="Conversations">
          {all.map((one) => (
            <ConversationRow key={one.customer} of={one} />
          ))}
        </ul>
      )}
    </section>
  )
}
