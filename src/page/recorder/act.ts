import { choicesOn } from '../../emulator/phone/choices.ts'
import type { CustomerAct } from '../../testing/play/file.ts'
import type { shownOf } from '../../testing/shown.ts'
import type { ThreadItem } from '../wire/types.ts'

/** The page's shape of an item is what it reads of the emulator's own. */
export function asOnPhone(item: ThreadItem): Parameters<typeof shownOf>[0] {
  return item as unknown as Parameters<typeof shownOf>[0]
}

const MEDIA = ['image', 'audio', 'video', 'document'] as const

/** What a customer did, as a step does it again; undefined where no step can. `before`: what came to the phone until then. */
export function actOf(customer: string, item: ThreadItem, before: readonly ThreadItem[]): CustomerAct | undefined {
  // Whom nobody can write from: a recipient of sends alone.
  if (!/^[1-9]\d{5,14}$/.test(customer)) return undefined
  const { kind, text, media, interactive, number } = item
  const who = { customer, ...(number !== undefined && { number }) }
  if (media) {
    const known = MEDIA.find((one) => one === media.kind)
    return known && { ...who, sends: { ...media, kind: known } }
  }
  if (interactive?.id !== undefined) return { ...who, taps: optionOf(interactive.id, interactive.title, before) }
  if (text === null || text === '') return undefined
  return kind === 'button' ? { ...who, taps: text } : { ...who, says: text }
}

/** By its title, since ids are sealed or change from run to run; by its id where the title means another option. */
function optionOf(id: string, title: string | undefined, before: readonly ThreadItem[]): string {
  const named = choicesOn(before.map(asOnPhone)).find((choice) => choice.title === title)
  return title !== undefined && (named === undefined || named.id === id) ? title : id
}
