import { PHONE_FORM } from '../../contract/limits.ts'
import { INBOUND_MEDIA_KINDS } from '../../contract/message-kinds.ts'
import { choicesOn } from '../../emulator/model/thread.ts'
import type { PlayFile, PlayStep, ScenarioTemplate, Tapped, Who, Written } from '../../testing/play/file.ts'
import { type ListedTemplate, tappedOption, type TappedOption, type ThreadItem } from '../wire/types.ts'

/** Picks the templates that a conversation needs, in the form that a file takes. */
export function templatesFor(names: readonly string[], listed: readonly ListedTemplate[]): ScenarioTemplate[] {
  return listed.flatMap(({ name, language, category, components }): ScenarioTemplate[] => {
    if (!names.includes(`${name} ${language}`)) return []
    if (category === 'AUTHENTICATION') return [{ name, language, category }]
    const body = components.find(({ type }) => type === 'BODY')?.text
    return body === undefined ? [] : [{ name, language, body, ...(category === 'MARKETING' && { category }) }]
  })
}

/** Makes a file of a recording, which `switchhook play` and the test kit can play. */
export function toPlayFile(name: string, steps: readonly PlayStep[], templates: readonly ScenarioTemplate[]): PlayFile {
  return {
    switchhook: 1,
    name: name.trim() || 'a conversation',
    ...(templates.length > 0 && { templates }),
    steps,
  }
}

/** Makes a file name of a recording's name: `asks-for-hours.json`. */
export function playFileName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return `${plain || 'conversation'}.json`
}

/** Makes a step of a customer's message; undefined if no step can repeat it. `before` is what was on the phone. */
export function toCustomerAct(
  customer: string,
  item: ThreadItem,
  before: readonly ThreadItem[],
): (Who & (Written | Tapped)) | undefined {
  // Such a recipient can get messages, but nobody can write as them.
  if (!PHONE_FORM.test(customer)) return undefined
  const { kind, text, media, number } = item
  const tapped = tappedOption(item)
  const who = { customer, ...(number !== undefined && { number }) }
  if (media) {
    const known = INBOUND_MEDIA_KINDS.find((one) => one === media.kind)
    return known && { ...who, sends: { ...media, kind: known } }
  }
  if (tapped) return { ...who, taps: optionName(tapped, before) }
  if (text === null || text === '') return undefined
  return kind === 'button' ? { ...who, taps: text } : { ...who, says: text }
}

/** Names an option by its title, since ids change from run to run; by its id if two options share the title. */
function optionName({ id, title }: TappedOption, before: readonly ThreadItem[]): string {
  const named = choicesOn(before).find((choice) => choice.title === title)
  return named === undefined || named.id === id ? title : id
}
