import { readId } from '../wire/happening-id.ts'
import type { Happening } from '../wire/types.ts'
import { rowOfCall } from './rows/calls.ts'
import { createChangeRows } from './rows/changes.ts'
import { createDeliveryRows } from './rows/deliveries.ts'
import { createMessages } from './rows/messages.ts'
import type { Row } from './rows/row.ts'
import { createSheet } from './rows/sheet.ts'
import { createSpanRows } from './rows/spans.ts'

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
