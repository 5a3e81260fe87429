import { openSection, type SectionName } from '../../state/view.ts'
import type { Row, RowKind } from '../rows/table.ts'

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
export function RowExplanation({ row }: { row: Row }) {
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
