import { optionsInvalid, SwitchhookError } from '../../../base/errors.ts'
import { isRecord, parseJson } from '../../../base/value.ts'
import { Refusal } from '../../../emulator/http/messages.ts'
import type { Emulator } from '../../../emulator/emulator.ts'
import { readInput } from './files.ts'
import type { Io } from './io.ts'

export const TEMPLATES_OPTION = ['--templates <file>', 'approved templates: a JSON file'] as const

type Json = Readonly<Record<string, unknown>>

/**
 * Reads a file of templates: a list of them, or a page of the service's own list.
 *
 * @throws SwitchhookError `options_invalid`
 */
export async function readTemplates(io: Io, file: string | undefined): Promise<readonly Json[]> {
  if (file === undefined) return []
  const json = parseJson((await readInput(io, file, '--templates')).toString('utf8'))
  const listed = isRecord(json) ? json['items'] : json
  if (!Array.isArray(listed)) throw wrongTemplates('expected a JSON file with a list of templates')
  return listed.map((template: unknown) => {
    if (!isRecord(template)) throw wrongTemplates('a template must be an object')
    return formOf(template)
  })
}

/** Turns a row of the service's list into the members that the emulator accepts. */
function formOf(template: Json): Json {
  if (!('sendable' in template)) return template
  const { name, language, category, status, components, quality_score: qualityScore } = template
  // The service itself writes the text of a template for one-time codes, so its components are left out.
  const content = category === 'AUTHENTICATION' ? {} : { components }
  return { name, language, category, status, ...(typeof qualityScore === 'string' && { qualityScore }), ...content }
}

function wrongTemplates(message: string): SwitchhookError {
  return optionsInvalid(`--templates: ${message}`)
}

/** Adds the templates to the first number. A template that exists already is not changed. */
export async function addTemplates(emulator: Emulator, templates: readonly Json[]): Promise<void> {
  for (const template of templates)
    try {
      await emulator.templates.add(template)
    } catch (error) {
      if (!(error instanceof SwitchhookError)) throw error
      if (error.cause instanceof Refusal && error.cause.code === 'template_exists') continue
      const { name } = template
      throw wrongTemplates(`${typeof name === 'string' ? name : 'a template without a name'}: ${error.message}`)
    }
}
