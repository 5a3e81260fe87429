import { optionsInvalid } from '../../base/errors.ts'
import { built } from '../../content/content.ts'
import { buttons, type Content, type Template, template } from '../../content/index.ts'
import { readInput } from '../support/files.ts'
import type { Io } from '../support/io.ts'

export interface ContentFlags {
  readonly text?: string
  readonly button: readonly string[]
  readonly template?: string
  readonly language?: string
  readonly param: readonly string[]
  readonly data?: string
}

/** The content that the flags describe. @throws SwitchhookError `options_invalid` if they describe none, or two. */
export async function contentFrom(io: Io, flags: ContentFlags): Promise<Content | Template> {
  const { text, button, data, language, param } = flags
  if ([text, flags.template, data].filter((one) => one !== undefined).length !== 1)
    throw optionsInvalid('say what: one of --text, --template and --data')
  if (button.length > 0 && text === undefined)
    throw optionsInvalid('--button: the text above the buttons is missing: --text')
  if (flags.template === undefined && (language !== undefined || param.length > 0))
    throw optionsInvalid('--language and --param are of --template')
  if (data !== undefined) return fromData(await readInput(io, data, '--data'))
  if (flags.template !== undefined) {
    if (language === undefined) throw optionsInvalid('--template: its language is missing: --language')
    return template(flags.template, language, param.length > 0 ? { body: param } : undefined)
  }
  return button.length > 0 ? buttons(text ?? '', button.map(readButton)) : (text ?? '')
}

function readButton(text: string): { id: string; title: string } {
  const [, id = '', title = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (id !== '') return { id, title }
  throw optionsInvalid(`--button: expected id=title, such as track='Track order', got ${JSON.stringify(text)}`)
}

/** Content in the service's own form, which can express more than the flags. */
function fromData(bytes: Buffer): Content {
  let body: unknown
  try {
    body = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw optionsInvalid('--data: this is no JSON', { cause: error })
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body) || 'to' in body)
    throw optionsInvalid(
      '--data: expected a JSON object without `to`, such as {"type":"text","text":"hello"}; --to names it',
    )
  return built({ kind: 'text' as const }, { type: 'text', ...body })
}
