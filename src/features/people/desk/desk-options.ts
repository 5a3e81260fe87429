import { optionsInvalid } from '../../../base/errors.ts'
import { isRecord, kindOf, type MaybeAsync } from '../../../base/value.ts'
import { isAddress } from '../../../admin/door.ts'
import type { Content } from '../../../service/content.ts'

/** A person who uses the desk. Colleagues see the name. */
export interface DeskPerson {
  readonly name: string
  /** True if the person may answer customers. It needs `reveal`. Default false. */
  readonly write?: boolean
  /** True if the person may read numbers, names and texts. Otherwise they are masked. Default false. */
  readonly reveal?: boolean
  /** The bot's numbers that the person may see. Default all. */
  readonly numbers?: readonly string[]
}

/** An answer that people use often. They find it by its name. */
export interface Snippet {
  readonly name: string
  readonly text: string
  /** Sent in place of the text, for example `buttons('When?', [{ id: 'am', title: 'Morning' }])`. */
  readonly content?: Content
}

/** The options of `desk`. `Request`: the request's type in Express, in `node:http` or in the fetch standard. */
export interface DeskOptions<Request> {
  /**
   * Returns who sends this request, or nothing for a 401. Called for every request, and every minute for an open desk.
   * If it throws, the answer is 500.
   */
  authorize: (request: Request) => MaybeAsync<DeskPerson | undefined | null | false>
  /** The bot's name in the header, in the title and on the home screen, such as `Mwanga Clinic`. Default `Desk`. */
  name?: string
  /** The language of the desk: `en`, `sw` and `ar` are built in. Default `en`. */
  language?: string
  /** Replaces texts of the page, by name: for another language, or for other wording. */
  texts?: Readonly<Record<string, string>>
  snippets?: readonly Snippet[]
  /** The names to whom a chat can be passed, as `authorize` gives them. Default: the person types a name. */
  colleagues?: () => MaybeAsync<readonly string[]>
  /** Stores a file that a person sends, and returns its public https address. Without it, people enter addresses. */
  store?: (file: { name: string; type: string; bytes: Uint8Array }) => MaybeAsync<string>
  /** The address at which your app signs people out, such as `'/sign-out'`: the page links to it. Default: no link. */
  signOut?: string
}

export interface DeskSettings extends Pick<DeskOptions<never>, 'name' | 'colleagues' | 'store' | 'signOut'> {
  readonly language: string
  readonly texts: Readonly<Record<string, string>>
  readonly snippets: readonly Snippet[]
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isFunction = (value: unknown) => typeof value === 'function'

const OPTIONS: {
  readonly [Name in keyof DeskOptions<never>]-?: readonly [is: (value: unknown) => boolean, expected: string]
} = {
  authorize: [
    isFunction,
    'a function that returns who sends a request, or nothing: without it anybody could read messages',
  ],
  name: [isText, 'the name of the bot'],
  language: [isText, "the name of a language, such as 'en'"],
  texts: [
    (value) => isRecord(value) && Object.values(value).every((one) => typeof one === 'string'),
    'texts by their name',
  ],
  snippets: [areSnippets, "a list such as [{ name: 'hours', text: 'We are open from 9 to 17.' }], each name once"],
  colleagues: [isFunction, 'a function that returns names'],
  store: [isFunction, 'a function that stores a file and returns its address'],
  signOut: [isAddress, "an address such as '/sign-out'"],
}

function areSnippets(value: unknown): boolean {
  if (!Array.isArray(value) || !value.every((one) => isRecord(one) && isText(one['name']) && isText(one['text'])))
    return false
  return new Set(value.map(({ name }) => name)).size === value.length
}

/** @throws SwitchhookError `options_invalid` */
export function settingsOf(given: unknown): DeskSettings {
  const o = isRecord(given) ? given : {}
  const known = Object.keys(OPTIONS)
  const unknown = Object.keys(o).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw optionsInvalid(`${unknown}: desk(): this option does not exist; its options are ${known.join(', ')}`)
  for (const [name, [is, expected]] of Object.entries(OPTIONS))
    if ((o[name] !== undefined || name === 'authorize') && !is(o[name]))
      throw optionsInvalid(`${name}: desk() expects ${expected}, got ${kindOf(o[name])}`)
  const { language = 'en', texts = {}, snippets = [], ...others } = o as unknown as DeskOptions<never>
  return { language, texts, snippets, ...others }
}
