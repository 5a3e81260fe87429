import { kindOf } from '../base/value.ts'
import { HEADER_MEDIA, type HeaderMedium, type TemplateComponent } from './contract.ts'
import {
  array,
  built,
  members,
  type Option,
  optionId,
  type Argument,
  publicAddress,
  refuse,
  string,
  type Template,
} from './content.ts'

/**
 * The number's templates: name × language × parameters. Empty by default. `switchhook templates pull` fills it by
 * module augmentation. Then a wrong name, language or number of parameters does not compile.
 */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- filled by augmentation
export interface Templates {}

/**
 * Templates of category `AUTHENTICATION`: name × language × the code's type. `switchhook templates pull` fills it too.
 * Only for `oneTimeCode()`, because `template()` would store the code (OTP-06).
 */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- filled by augmentation
export interface OneTimeCodes {}

/** Any string, until `switchhook templates pull` has written the names. */
export type TemplateName<T = Templates> = keyof (T & OneTimeCodes) extends never ? string : keyof T & string
/** The languages of a template. If `N` is several names, the languages that all of them have. */
export type Lang<N, T = Templates> = [N] extends [keyof T] ? keyof T[N] & string : string
export type Params<N, L, T = Templates> = N extends keyof T
  ? L extends keyof T[N]
    ? T[N][L]
    : never
  : TemplateParameters

/** The arguments after the language: parameters that fit each possible template. Optional if none needs any. */
export type ParamsArgument<P> = Partial<Each<P>> extends Each<P> ? [params?: Each<P> | undefined] : [params: Each<P>]
type Each<P> = (P extends unknown ? (params: P) => void : never) extends (params: infer All) => void ? All : never

/** The values of a template's parameters. Header and body are numbered separately, each from `{{1}}` (SEND-13). */
export interface TemplateParameters {
  header?: HeaderParameter | undefined
  body?: readonly string[] | undefined
  /** The buttons by position, from the first button. `null` is a static button without a parameter. */
  buttons?: readonly ButtonParameter[] | undefined
}

/** The text of `{{1}}`, or a medium by its public https address. */
export type HeaderParameter =
  | string
  | readonly string[]
  | { image: string }
  | { video: string }
  | { document: string; filename?: string | undefined }

/**
 * A string or `{ url }` is the suffix of a dynamic address. `{ payload }` is what your bot receives when a quick reply
 * is tapped: a text, or an option of `tap()`.
 */
export type ButtonParameter = string | { url: string } | { payload: string | Option } | null

type Parameter = NonNullable<TemplateComponent['parameters']>[number]

const builder = 'template()'

/**
 * An approved template, by name and language. The language must match exactly: `en` is not `en_US`, and there is no
 * fallback (SEND-11). The only content that is accepted outside the 24-hour window.
 *
 *     template('order_ready', 'sw', { body: ['7781'], buttons: ['orders/7781'] })
 */
export function template<N extends TemplateName, L extends Lang<N>>(
  name: N,
  language: L,
  ...[params]: ParamsArgument<Params<N, L>>
): Template {
  const { header, body, buttons } = members(builder, params, ['header', 'body', 'buttons'])
  const components: TemplateComponent[] = [
    ...component('header', header === undefined ? [] : headerParameters(header)),
    ...component('body', body === undefined ? [] : texts({ builder, path: 'body' }, body)),
    ...(buttons === undefined ? [] : buttonComponents(buttons)),
  ]
  return built(
    { kind: 'template' },
    {
      type: 'template',
      template_name: string({ builder, path: 'the name' }, name),
      template_language: string({ builder, path: 'the language' }, language),
      ...(components.length > 0 && { template_components: components }),
    },
  )
}

function component(type: 'header' | 'body', parameters: Parameter[]): TemplateComponent[] {
  return parameters.length > 0 ? [{ type, parameters }] : []
}

function texts(argument: Argument, values: unknown): Parameter[] {
  return array(argument, values).map((value, at) =>
    textParameter({ ...argument, path: `${argument.path}[${at}]` }, value),
  )
}

function textParameter(argument: Argument, value: unknown): Parameter {
  return { type: 'text', text: string(argument, value) }
}

function headerParameters(header: unknown): Parameter[] {
  const argument = { builder, path: 'header' }
  if (typeof header === 'string') return [textParameter(argument, header)]
  if (Array.isArray(header)) return texts(argument, header)
  const medium = HEADER_MEDIA.find(
    (each) => typeof header === 'object' && header !== null && Object.hasOwn(header, each),
  )
  if (medium === undefined)
    refuse(argument, `must be a text, { image }, { video } or { document, filename }, got ${kindOf(header)}`)
  const { [medium]: address, filename } = members(
    builder,
    header,
    medium === 'document' ? [medium, 'filename'] : [medium],
  )
  return [
    MEDIA_PARAMETER[medium]({
      link: publicAddress({ builder, path: `header.${medium}` }, address),
      ...(filename !== undefined && { filename: string({ builder, path: 'header.filename' }, filename) }),
    }),
  ]
}

const MEDIA_PARAMETER: {
  readonly [M in HeaderMedium]: (medium: { link: string; filename?: string }) => Parameter
} = {
  image: (image) => ({ type: 'image', image }),
  video: (video) => ({ type: 'video', video }),
  document: (document) => ({ type: 'document', document }),
}

function buttonComponents(buttons: unknown): TemplateComponent[] {
  return array({ builder, path: 'buttons' }, buttons).flatMap((button, at): TemplateComponent[] => {
    const argument = { builder, path: `buttons[${at}]` }
    if (button === null || button === undefined) return []
    const index = String(at)
    const { url = typeof button === 'string' ? button : undefined, payload } = button as Record<string, unknown>
    if (url !== undefined && payload === undefined)
      return [{ type: 'button', sub_type: 'url', index, parameters: [textParameter(argument, url)] }]
    if (payload !== undefined && url === undefined) {
      const option = typeof payload === 'object' && payload !== null ? payload : { id: payload }
      const reply = { type: 'payload' as const, payload: optionId(argument, option) }
      return [{ type: 'button', sub_type: 'quick_reply', index, parameters: [reply] }]
    }
    return refuse(
      argument,
      `must be a string, { url }, { payload }, or null for a static button, got ${kindOf(button)}`,
    )
  })
}
