import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { optionsInvalid, SwitchhookError } from '../../../base/errors.ts'
import { parseJson } from '../../../base/value.ts'
import { Refusal } from '../../../emulator/http/messages.ts'
import type { Emulator } from '../../../emulator/emulator.ts'
import { readInput } from './files.ts'
import { type Io, pathOf } from './io.ts'

export const TEMPLATES_OPTION = ['--templates <path>', 'approved templates: a JSON file, or a folder of them'] as const

type Json = Readonly<Record<string, unknown>>

interface TemplatesIn {
  readonly file: string
  readonly templates: readonly Json[]
}

/**
 * Reads the templates of a file, or of all JSON files in a folder: one template, a list of them, or an object with a
 * list, such as a page of the service's own list or a recorded conversation.
 *
 * @throws SwitchhookError `options_invalid`
 */
export async function readTemplates(io: Io, path: string | undefined): Promise<readonly TemplatesIn[]> {
  if (path === undefined) return []
  const isFolder = statSync(pathOf(io, path), { throwIfNoEntry: false })?.isDirectory() === true
  const files = isFolder
    ? readdirSync(pathOf(io, path))
        .filter((name) => name.endsWith('.json'))
        .sort()
        .map((name) => join(path, name))
    : [path]
  return await Promise.all(
    files.map(async (file) => ({ file, templates: templatesIn(file, await readInput(io, file, '--templates')) })),
  )
}

function templatesIn(file: string, bytes: Buffer): Json[] {
  const json = parseJson(bytes.toString('utf8'))
  if (json === undefined) throw wrongTemplates(file, 'it is not JSON')
  const { items, templates } = (json ?? {}) as Json
  const listed: unknown = items ?? templates ?? json
  return [listed].flat().map((template: unknown) => {
    if (typeof template !== 'object' || template === null) throw wrongTemplates(file, 'a template must be an object')
    return formOf(template as Json)
  })
}

/** The dashboard's form of a template. A row of the service's list has members that follow from the others. */
function formOf(template: Json): Json {
  if (!('sendable' in template)) return template
  const { name, language, category, status, components, quality_score: qualityScore } = template
  // The platform writes the text of a template for one-time codes.
  const content = category === 'AUTHENTICATION' ? {} : { components }
  return { name, language, category, status, ...(typeof qualityScore === 'string' && { qualityScore }), ...content }
}

function wrongTemplates(file: string, message: string): SwitchhookError {
  return optionsInvalid(`--templates: ${file}: ${message}`)
}

/** Adds the templates, to each number unless they name one. A template that exists already is not changed. */
export async function addTemplates(
  emulator: Emulator,
  read: readonly TemplatesIn[],
  numbers: readonly string[],
): Promise<void> {
  for (const { file, templates } of read)
    for (const template of templates)
      for (const number of template['number'] === undefined ? numbers : [template['number']])
        try {
          await emulator.templates.add({ ...template, number })
        } catch (error) {
          if (!(error instanceof SwitchhookError)) throw error
          if (error.cause instanceof Refusal && error.cause.code === 'template_exists') continue
          const { name } = template
          throw wrongTemplates(
            file,
            `${typeof name === 'string' ? name : 'a template without a name'}: ${error.message}`,
          )
        }
}
