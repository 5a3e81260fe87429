import { oneLine, table } from '../support/output.ts'
import type { FactPreview, Preview } from './preview.ts'

/** Deliveries for people: those that would be read alike together, in the order of their arrival. */
export function previewText(previews: readonly Preview[]): string[] {
  const groups = new Map<string, Preview[]>()
  for (const preview of previews) {
    const key = JSON.stringify([
      preview.event,
      preview.shape,
      preview.stays,
      preview.unsure,
      ...preview.messages.map(placesOf),
    ])
    const group = groups.get(key)
    if (group) group.push(preview)
    else groups.set(key, [preview])
  }
  return [...groups.values()].flatMap(groupText)
}

function placesOf(facts: Readonly<Record<string, FactPreview>>): string[][] {
  return Object.entries(facts).map(([name, { path, how, sure }]) => [name, path, sure ? how : `${how}, not sure`])
}

/** Messages of a batch of which the facts are shown. */
const SHOWN = 3

function groupText(group: readonly Preview[]): string[] {
  const [{ event, shape, stays, unsure, messages }] = group as [Preview]
  const count = group.length === 1 ? '1 delivery' : `${group.length} deliveries`
  const seqs = group.length <= SHOWN ? ` (${group.map(({ seq }) => seq).join(', ')})` : ''
  const may = unsure === undefined ? 'would be handled' : `may be handled: ${unsure}`
  const verdict = stays === undefined ? may : `would stay parked: ${stays}`
  const shown = messages.slice(0, SHOWN).flatMap((facts) => table(placesOf(facts).map((row) => ['', ...row])))
  const more = messages.length > SHOWN ? [`  and ${messages.length - SHOWN} more messages each`] : []
  const head = `${count} of ${event}${seqs}${shape === undefined ? '' : `, shape ${shape}`} ${verdict}`
  return [oneLine(head), ...shown, ...more, ...group.flatMap(valuesText)]
}

function valuesText({ seq, messages }: Preview): string[] {
  return messages.flatMap((facts) => {
    const values = Object.entries(facts).filter(([, fact]) => 'value' in fact)
    return values.length === 0
      ? []
      : [oneLine(`  ${seq}: ${values.map(([name, { value }]) => `${name} ${JSON.stringify(value)}`).join(', ')}`)]
  })
}
