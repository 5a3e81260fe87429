import { INBOUND_MEDIA_KINDS } from '../../contract/message-kinds.ts'
import { PHONE_FORM } from '../../contract/limits.ts'
import { choicesOn } from '../../emulator/model/thread.ts'
import type { CustomerAct, PlayFile, PlayStep, ScenarioTemplate } from '../../testing/play/file.ts'
import { type ListedTemplate, tappedIn, type TappedOption, type ThreadItem } from '../wire/types.ts'

/** Those of the service's templates that a conversation needs, as a file names them. */
export function templatesFor(names: readonly string[], listed: readonly ListedTemplate[]): ScenarioTemplate[] {
  return listed.flatMap(({ name, language, category, components }): ScenarioTemplate[] => {
    if (!names.includes(`${name} ${language}`)) return []
    if (category === 'AUTHENTICATION') return [{ name, language, category }]
    const body = components.find(({ type }) => type === 'BODY')?.text
    return body === undefined ? [] : [{ name, language, body, ...(category === 'MARKETING' && { category }) }]
  })
}

/** A recording as a file that can be played again. */
export function fileOf(name: string, steps: readonly PlayStep[], templates: readonly ScenarioTemplate[]): PlayFile {
  return {
    switchhook: 1,
    name: name.trim() || 'a conversation',
    ...(templates.length > 0 && { templates }),
    steps,
  }
}

/** The name of the file on disk: `asks-for-hours.json`. */
export function fileName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return `${plain || 'conversation'}.json`
}

/** What a customer did, as a step does it again; undefined where no step can. `before`: what came to the phone until then. */
export function actOf(customer: string, item: ThreadItem, before: readonly ThreadItem[]): CustomerAct | undefined {
  // Whom nobody can write from: a recipient of sends alone.
  if (!PHONE_FORM.test(customer)) return undefined
  const { kind, text, media, number } = item
  const tapped = tappedIn(item)
  const who = { customer, ...(number !== undefined && { number }) }
  if (media) {
    const known = INBOUND_MEDIA_KINDS.find((one) => one === media.kind)
    return known && { ...who, sends: { ...media, kind: known } }
  }
  if (tapped) return { ...who, taps: optionOf(tapped, before) }
  if (text === null || text === '') return undefined
  return kind === 'button' ? { ...who, taps: text } : { ...who, says: text }
}

/** By its title, since ids are sealed or change from run to run; by its id where the title means another option. */
function optionOf({ id, title }: TappedOption, before: readonly ThreadItem[]): string {
  const named = choicesOn(before).find((choice) => choice.title === title)
  return named === undefined || named.id === id ? title : id
}
