import { kindOf } from '../base/value.ts'
import { type Interactive, LIMITS, type MediaType } from './contract.ts'
import {
  array,
  built,
  type Built,
  type Choice,
  type Content,
  type Freeform,
  members,
  type Option,
  optionId,
  type Template,
  type Argument,
  publicAddress,
  refuse,
  string,
} from './content.ts'
import { withEllipsis } from './long-text.ts'

export interface Fit {
  /** `ellipsis` cuts titles, descriptions, labels and captions that are too long. By default they are refused. */
  fit?: 'ellipsis' | undefined
}

/**
 * A text of at most 1024 characters with one to three reply buttons (SEND-06, SEND-07). Ids have 1 to 256 characters
 * and must not repeat. Titles have 1 to 20 characters, and the footer at most 60.
 *
 *     buttons('How can we help?', [{ id: 'track', title: 'Track order' }])
 *
 * With `once`, only the first tap of the message reaches your routes. A later one runs `onUsed`, or nothing. `onUsed`
 * is kept in the memory of the process that made the message.
 */
export function buttons<const O extends readonly Option[]>(
  body: string,
  options: O,
  more?: { footer?: string | undefined; once?: boolean | undefined; onUsed?: OnUsed | undefined } & Fit,
): Choice<O[number]['id']> {
  const builder = 'buttons()'
  const { footer, once, onUsed, fit } = members(builder, more, ['footer', 'once', 'onUsed', 'fit'])
  const label = labels(builder, fit)
  if (once !== undefined && typeof once !== 'boolean') refuse({ builder, path: 'once' }, 'must be true or false')
  if (onUsed !== undefined && (typeof onUsed !== 'function' || once !== true))
    refuse({ builder, path: 'onUsed' }, 'must be a function, beside once: true')
  const replyButtons = array({ builder, path: 'options' }, options).map((option, at) => {
    const given = optionAt({ builder, path: `options[${at}]` }, option)
    const { title, description } = given
    if (description !== undefined)
      refuse({ builder, path: `options[${at}].description` }, 'is not possible on a button: use list()')
    return {
      id: optionId({ builder, path: `options[${at}].id` }, given),
      title: label({ builder, path: `options[${at}].title` }, title, LIMITS.buttonTitle.max),
    }
  })
  const made = { type: 'buttons', ...bodyAndFooter(builder, body, footer), buttons: replyButtons } as const
  return choice<O[number]['id']>(made, once === true ? { once: { onUsed: onUsed as OnUsed | undefined } } : {})
}

/** Called with the context of each tap after the first one. */
// oxlint-disable-next-line typescript/no-explicit-any -- a handler of any bot
export type OnUsed = (ctx: any) => unknown

interface Once {
  readonly once?: { readonly onUsed: OnUsed | undefined }
}

/** Returns undefined if every tap of the message counts, and not only the first one. */
export function onceOf(content: Content | Template): Once['once'] {
  return typeof content === 'string' ? undefined : (content as Once).once
}

/** The options of buttons or of a list, in order; undefined for any other content. */
export function optionsOf(content: Content): readonly { readonly id: string; readonly title: string }[] | undefined {
  if (typeof content === 'string' || content.kind !== 'choice') return undefined
  const { interactive } = (content as Built<Choice>).wire as { readonly interactive?: Interactive }
  return [...(interactive?.buttons ?? []), ...(interactive?.sections ?? []).flatMap(({ rows }) => rows)]
}

type Sections = { readonly [title: string]: readonly Option[] }
type IdsOf<R> = (R extends readonly Option[] ? R : R extends Sections ? R[keyof R] : never)[number]['id']

/**
 * A text with a menu of 1 to 10 rows in total (SEND-08): an array, or `{ 'Section title': rows }`. Ids have 1 to 200
 * characters and must not repeat, not even across sections. Titles have 1 to 24 characters, section titles at most 24,
 * descriptions at most 72. `button` is the label that opens the menu: at most 20 characters, by default the service's
 * `View`.
 *
 *     list('Which order?', [{ id: 'order:7781', title: 'Order 7781' }], { button: 'Orders' })
 */
export function list<const R extends readonly Option[] | Sections>(
  body: string,
  rows: R,
  more?: { button?: string | undefined; footer?: string | undefined } & Fit,
): Choice<IdsOf<R>> {
  const builder = 'list()'
  const { button, footer, fit } = members(builder, more, ['button', 'footer', 'fit'])
  const label = labels(builder, fit)
  return choice<IdsOf<R>>({
    type: 'list',
    ...bodyAndFooter(builder, body, footer),
    ...(button !== undefined && { button_text: label({ builder, path: 'button' }, button, LIMITS.listButtonText.max) }),
    sections: sectionsOf(builder, rows, label),
  })
}

/**
 * A text of at most 1024 characters with one button that opens an address (SEND-09). `title` has 1 to 20 characters,
 * `url` 1 to 2000, http or https. The footer has at most 60.
 *
 *     link('Your invoice', { title: 'Open', url: 'https://shop.example/invoices/7781' })
 */
export function link(
  body: string,
  to: { title: string; url: string },
  more?: { footer?: string | undefined },
): Freeform {
  const builder = 'link()'
  const { footer } = members(builder, more, ['footer'])
  if (typeof to !== 'object' || to === null)
    refuse({ builder, path: 'the second argument' }, `must be { title, url }, got ${kindOf(to)}`)
  const cta = {
    display_text: string({ builder, path: 'title' }, to.title),
    url: string({ builder, path: 'url' }, to.url),
  }
  const interactive = { type: 'cta_url', ...bodyAndFooter(builder, body, footer), cta } satisfies Interactive
  return built({ kind: 'link' }, { type: 'interactive', interactive })
}

function choice<Id extends string>(interactive: Interactive, more: Once = {}): Choice<Id> {
  // `ids` exists only for the type checker, so it has no value.
  return built({ kind: 'choice', ...more }, { type: 'interactive', interactive }) as unknown as Choice<Id>
}

type Label = (argument: Argument, value: unknown, max: number) => string

function labels(builder: string, fit: unknown): Label {
  if (fit === undefined) return (argument, value) => string(argument, value)
  if (fit !== 'ellipsis') refuse({ builder, path: 'fit' }, `must be 'ellipsis'`)
  return (argument, value, max) => withEllipsis(string(argument, value), max)
}

function sectionsOf(builder: string, rows: unknown, label: Label) {
  if (Array.isArray(rows)) return [{ rows: rows.map((row, at) => rowAt({ builder, path: `rows[${at}]` }, row, label)) }]
  if (typeof rows !== 'object' || rows === null)
    refuse({ builder, path: 'rows' }, `must be an array, or an object of arrays by section title, got ${kindOf(rows)}`)
  return Object.entries(rows).map(([title, members], at) => {
    const path = `section ${at + 1}`
    return {
      ...(title !== '' && { title: label({ builder, path: `the title of ${path}` }, title, LIMITS.sectionTitle.max) }),
      rows: array({ builder, path }, members).map((row, index) =>
        rowAt({ builder, path: `${path}, row[${index}]` }, row, label),
      ),
    }
  })
}

function rowAt(argument: Argument, row: unknown, label: Label) {
  const given = optionAt(argument, row)
  const { title, description } = given
  const at = (name: string) => ({ ...argument, path: `${argument.path}.${name}` })
  return {
    id: optionId(at('id'), given),
    title: label(at('title'), title, LIMITS.rowTitle.max),
    ...(description !== undefined && { description: label(at('description'), description, LIMITS.rowDescription.max) }),
  }
}

function optionAt(argument: Argument, option: unknown): { [name in keyof Option]?: unknown } {
  if (typeof option !== 'object' || option === null)
    refuse(argument, `must be an object { id, title }, got ${kindOf(option)}`)
  return option
}

function bodyAndFooter(builder: string, body: unknown, footer: unknown) {
  return {
    body: string({ builder, path: 'the text' }, body),
    ...(footer !== undefined && { footer: string({ builder, path: 'footer' }, footer) }),
  }
}

/**
 * A plain text of at most 4096 characters, not blank (SEND-03). Equal to a bare string.
 *
 *     text('Order 7781 is ready.')
 */
export function text(body: string): Freeform {
  return textOf(body, 'text()')
}

export function textOf(body: unknown, builder: string): Built<Freeform> {
  return built({ kind: 'text' }, { type: 'text', text: string({ builder, path: 'the text' }, body) })
}

type Caption = { caption?: string | undefined } & Fit

/**
 * A picture from a public https address, which the upstream platform fetches. The caption has at most 1024 characters
 * (SEND-05).
 *
 *     image('https://shop.example/shoes.jpg', { caption: 'Size 42' })
 */
export function image(url: string, more?: Caption): Freeform {
  return media('image', url, members('image()', more, ['caption', 'fit']))
}

/**
 * A video from a public https address, which the upstream platform fetches. The caption has at most 1024 characters
 * (SEND-05).
 *
 *     video('https://shop.example/tour.mp4')
 */
export function video(url: string, more?: Caption): Freeform {
  return media('video', url, members('video()', more, ['caption', 'fit']))
}

/**
 * A file. The customer sees `filename`. The caption has at most 1024 characters (SEND-04, SEND-05).
 *
 *     document('https://shop.example/invoice.pdf', { filename: 'Invoice 7781.pdf' })
 */
export function document(url: string, more?: Caption & { filename?: string | undefined }): Freeform {
  return media('document', url, members('document()', more, ['caption', 'filename', 'fit']))
}

/**
 * A sound or voice note. It has no caption, which the service would drop silently (SEND-05).
 *
 *     audio('https://shop.example/welcome.ogg')
 */
export function audio(url: string, ...nothing: readonly never[]): Freeform {
  return media('audio', url, members('audio()', nothing[0], []))
}

function media(type: MediaType, url: unknown, more: { readonly [name in 'caption' | 'filename' | 'fit']?: unknown }) {
  const builder = `${type}()`
  const { caption, filename, fit } = more
  const label = labels(builder, fit)
  return built(
    { kind: 'media' as const },
    {
      type,
      media_url: publicAddress({ builder, path: 'url' }, url),
      ...(caption !== undefined && {
        media_caption: label({ builder, path: 'caption' }, caption, LIMITS.mediaCaption.max),
      }),
      ...(filename !== undefined && { media_filename: string({ builder, path: 'filename' }, filename) }),
    },
  )
}
