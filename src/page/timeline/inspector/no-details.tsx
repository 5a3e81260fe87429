import { openPart, type Part } from '../../state/view.ts'
import type { Row, RowKind } from '../rows/table.ts'

/** What stands behind a row that is neither a call nor a delivery, and where it is changed. */
const BEHIND: Readonly<Partial<Record<RowKind, { readonly words: string; readonly part: Part; readonly go: string }>>> =
  {
    window: {
      words: 'For 24 hours after a customer’s last message free-form messages go out; after that, templates alone.',
      part: 'time',
      go: 'Show the time and the window',
    },
    agent: {
      words:
        'The service’s own AI agent answers until the app or a person does; then it is silent for its takeover window, or until the customer writes BOT.',
      part: 'agent',
      go: 'Show the AI agent',
    },
    clock: {
      words:
        'What became due by the jump happened at once. Signatures carry this machine’s time, so that receivers do not find them stale.',
      part: 'time',
      go: 'Show the time',
    },
    endpoint: {
      words:
        'Twenty failures in a row disable an endpoint. Registering its address again mends that, under a new secret.',
      part: 'endpoint',
      go: 'Show the endpoints',
    },
    event: {
      words: 'Nobody was subscribed to it, so it went to nobody: events that were missed cannot be fetched later.',
      part: 'endpoint',
      go: 'Register an endpoint',
    },
  }

export function Plain({ row }: { row: Row }) {
  const behind = BEHIND[row.kind]
  return (
    <div class="scroll panel">
      {(row.detail ?? row.note) !== undefined && (
        <p class="line">{[row.detail, row.note].filter((part) => part !== undefined).join(' · ')}</p>
      )}
      {behind && <p>{behind.words}</p>}
      {behind && (
        <p>
          <button type="button" onClick={() => openPart(behind.part)}>
            {behind.go}
          </button>
        </p>
      )}
    </div>
  )
}
