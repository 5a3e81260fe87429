import { type Happening, readId } from '../../wire/happenings.ts'
import { createChangeRows } from './changes.ts'
import { createDeliveryRows } from './deliveries.ts'
import { createMessages, type Messages } from './messages.ts'
import { createSpanRows } from './spans.ts'
import { createSheet, type NewRow, type Outcome, type Row } from './table.ts'

/** Makes rows of what happened, and goes on where it was: what is told already is not looked at again. */
export interface Rows {
  /**
   * `all` that is kept, oldest first; by `now`, in milliseconds of the emulator's clock, what ends by itself has ended.
   * The answer is the same array as before where nothing has changed.
   */
  take(all: readonly Happening[], now: number): readonly Row[]
}

export function createRows(): Rows {
  let rows = createBuilder()
  let last = ''

  return {
    take(all, now) {
      const seen = last === '' ? -1 : all.findLastIndex(({ id }) => id === last)
      // Another run of the emulator, or so late that something was missed.
      if (seen < 0) rows = createBuilder()
      for (let index = seen + 1; index < all.length; index++) rows.hear(all[index] as Happening)
      last = all.at(-1)?.id ?? ''
      return rows.at(now, all[0])
    },
  }
}

function createBuilder() {
  const sheet = createSheet()
  const messages = createMessages()
  const spans = createSpanRows(sheet)
  const changes = createChangeRows(sheet)
  const delivery = createDeliveryRows(sheet, messages)
  let order = 0

  function tell(happening: Happening): void {
    switch (happening.kind) {
      case 'thread':
        return messages.hear(happening.item)
      case 'api':
        sheet.add({ ...rowOfCall(happening, messages), number: order })
        return
      case 'delivery':
        return delivery(happening, order)
      case 'window':
        return spans.window(happening, order)
      case 'agent':
        return spans.agent(happening, order)
      case 'clock':
        if (happening.movedMs < 0) spans.wentBack(Date.parse(happening.at))
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
        spans.forget()
        return changes.anew(happening, order)
      default:
    }
  }

  return {
    hear(happening: Happening): void {
      const { id, at, kind } = happening
      order = readId(id).number
      // A jump is told before what it brought to an end.
      if (kind !== 'clock') spans.passed(Date.parse(at), order)
      tell(happening)
      if (kind === 'clock') spans.passed(Date.parse(at), order)
    },
    at(now: number, oldest: Happening | undefined): readonly Row[] {
      spans.passed(now, order)
      if (oldest) sheet.dropBefore(readId(oldest.id).number)
      return sheet.rows()
    },
  }
}

type ApiHappening = Extract<Happening, { kind: 'api' }>

/** What became of an answer on its way, as a fault demanded: as short as a row is, and in full. */
const SPOILT: Readonly<Record<string, readonly [short: string, full: string]>> = {
  cut: ['cut off', 'the connection was closed without an answer'],
  reset: ['reset', 'the connection was reset without an answer'],
  half: ['half', 'the connection was closed in the middle of the answer'],
  never: ['no answer', 'there was never an answer'],
}

/** A call of the API by the app. */
export function rowOfCall(happening: ApiHappening, messages: Messages): Omit<NewRow, 'number'> {
  const { id, at, call, method, path, status, code, tookMs, customer, spoilt } = happening
  const message = messages.ofCall(call)
  const detail = [code, messages.preview(message)].filter((part) => typeof part === 'string').join(' · ')
  return {
    id,
    at,
    kind: 'call',
    direction: 'in',
    what: `${method} ${path.replace(/^\/api\/v2(?=\/)/, '')}`,
    ...(detail !== '' && { detail }),
    outcome: outcomeOf(status, spoilt),
    tookMs,
    status,
    call,
    ...(code !== null && { code }),
    ...(customer !== null && { customer }),
    ...(message !== undefined && { message }),
  }
}

function outcomeOf(status: number, spoilt: string | undefined): Outcome {
  if (spoilt !== undefined) {
    const [short, full] = SPOILT[spoilt] ?? [spoilt, spoilt]
    // A send that was not accepted had no status either.
    return { words: status < 400 ? `${status} ${short}` : short, title: full, tone: 'warn' }
  }
  return { words: String(status), tone: status < 400 ? 'good' : 'bad' }
}
