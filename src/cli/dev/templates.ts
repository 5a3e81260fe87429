import { SwitchhookError } from '../../base/errors.ts'
import type { Emulator } from '../../emulator/index.ts'
import { Refusal } from '../../emulator/http/messages.ts'
import { type TemplatesIn, wrongTemplates } from '../support/template-files.ts'

/** Adds the templates, to each number unless they name one. One that the emulator's data hold already stays as it is. */
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
