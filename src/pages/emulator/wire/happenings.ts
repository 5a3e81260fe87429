import type { Happening } from '../../../emulator/happening.ts'

export type { DeliveryChange, Happening } from '../../../emulator/happening.ts'

/** Splits a happening's id into the mark of the emulator's run and a number that increases within the run. */
export function parseHappeningId(id: string): { readonly mark: string; readonly number: number } {
  const [mark = '', number = 0] = id.split('-')
  return { mark, number: Number(number) }
}

/** The happenings after `last`, each once, because a stream that reconnects repeats earlier ones. */
export function newHappenings(received: readonly Happening[], last: string): readonly Happening[] {
  let latest = last
  return received.filter(({ id }) => {
    if (!isAfter(id, latest)) return false
    latest = id
    return true
  })
}

function isAfter(id: string, last: string): boolean {
  const [one, before] = [parseHappeningId(id), parseHappeningId(last)]
  return one.mark !== before.mark || one.number > before.number
}
