import type { PlayFile, PlayStep, ScenarioTemplate } from '../../testing/play/file.ts'
import type { ListedTemplate } from '../wire/types.ts'

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
