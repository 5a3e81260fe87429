import { type Happening, parseHappeningId } from '../../wire/happenings.ts'
import { createChangeRows, createSpanRows } from './changes.ts'
import { createDeliveryRows } from './deliveries.ts'
import { createMessageIndex, createRowTable, type MessageIndex, type NewRow, type Outcome, type Row } from './table.ts'

/** Makes rows of happenings. It continues where it stopped, so that it reads each happening once. */
interface Rows {
  /**
   * Takes all happenings that are kept, oldest first. Returns the same array as before if nothing has changed.
   */
  update(all: readonly Happening[]): readonly Row[]
}

export function createRows(): Rows {
  let builder = createBuilder()
  let last = ''

  return {
    update(all) {
      const seen = last === '' ? -1 : all.findLastIndex(({ id }) => id === last)
      // Either the emulator has started again, or happenings were missed.
      if (seen < 0) builder = createBuilder()
      for (let index = seen + 1; index < all.length; index++) builder.add(all[index] as Happening)
      last = all.at(-1)?.id ?? ''
      return builder.rows(all[0])
    },
  }
}

function createBuilder() {
  const table = createRowTable()
  const messages = createMessageIndex()
  const spans = createSpanRows(table)
  const changes = createChangeRows(table)
  const addDelivery = createDeliveryRows(table, messages)
  let order = 0

  function addRows(happening: Happening): void {
    switch (happening.kind) {
      case 'thread':
        return messages.add(happening.item)
      case 'api':
        table.add({ ...rowOfCall(happening, messages), order })
        return
      case 'delivery':
        return addDelivery(happening, order)
      case 'window':
        return spans.window(happening, order)
      case 'agent':
        return spans.agent(happening, order)
      case 'clock':
        return changes.clock(happening, order)
      case 'subscription':
        return changes.endpoint(happening, order)
      case 'event':
        return changes.event(happening, order)
      case 'control':
        return changes.control(happening, order)
      case 'handset':
        return changes.handset(happening, order)
      case 'resync':
        spans.clear()
        return changes.reset(happening, order)
      default:
    }
  }

  return {
    add(happening: Happening): void {
      order = parseHappeningId(happening.id).number
      addRows(happening)
    },
    rows(oldest: Happening | undefined): readonly Row[] {
      if (oldest) table.dropBefore(parseHappeningId(oldest.id).number)
      return table.rows()
    },
  }
}

type ApiHappening = Extract<Happening, { kind: 'api' }>

function rowOfCall(happening: ApiHappening, messages: MessageIndex): Omit<NewRow, 'order'> {
  const { id, at, call, method, path, status, code, tookMs, customer, spoilt } = happening
  const message = messages.ofCall(call)
  const text = messages.preview(message)
  return {
    id,
    at,
    kind: 'call',
    direction: 'in',
    title: `${method} ${path.replace(/^\/api\/v2(?=\/)/, '')}`,
    ...(code !== null && { detail: code }),
    ...(text !== undefined && { text }),
    outcome: outcomeOf(status, spoilt),
    tookMs,
    status,
    call,
    ...(code !== null && { code }),
    ...(customer !== null && { customer }),
    ...(message !== undefined && { message }),
  }
}

/** The ways in which a fault spoils an answer: a label for the row, and a tooltip. */
const SPOILT_ANSWERS: Readonly<Record<string, readonly [label: string, tooltip: string]>> = {
  cut: ['cut off', 'the connection was closed without an answer'],
  reset: ['reset', 'the connection was reset without an answer'],
  half: ['half', 'the connection was closed in the middle of the answer'],
  never: ['no answer', 'there was never an answer'],
}

function outcomeOf(status: number, spoilt: string | undefined): Outcome {
  if (spoilt !== undefined) {
    const [label, tooltip] = SPOILT_ANSWERS[spoilt] ?? [spoilt, spoilt]
    // The status of a send that was not accepted says nothing: the send never reached the service.
    return { label: status < 400 ? `${status} ${label}` : label, tooltip, tone: 'warn' }
  }
  return { label: String(status), tone: status < 400 ? 'good' : 'bad' }
}
