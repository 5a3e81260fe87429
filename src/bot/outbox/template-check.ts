import { type Clock, endsWithin, type Timers } from '../../base/clock.ts'
import type { Client, TemplateRow } from '../../client/client.ts'
import { isForCodes, templateShapeOf } from '../../service/approved-template.ts'
import type { SendRequest } from '../../service/send-request.ts'
import { mayBeForCode } from '../../service/one-time-code.ts'
import { isUnseen } from '../../service/unseen.ts'
import type { Store } from '../../store/store.ts'

const FRESH_MS = 10 * 60_000
/** The shortest time between two requests of the list because of one template's name. */
const AGAIN_MS = 5_000
const AFTER_FAILURE_MS = 60_000
/** The longest wait for the list. The service checks the template anyway. */
const WAIT_MS = 3_000

interface TemplateListDeps {
  client(): Promise<Client>
  readonly clock: Clock
  readonly timers: Timers
  readonly number: string
  readonly store: Pick<Store, 'categories' | 'keepCategories'>
  /** True with an emulator, where a developer sends a new template at once. */
  readonly local: boolean
}

/** The rows of the number's list of templates; undefined if the list is not available now. */
type Rows = readonly TemplateRow[] | undefined

export class TemplateList {
  readonly #o: TemplateListDeps
  readonly #askedFor = new Map<string, number>()
  #rows: Rows
  #askedAt = -Infinity
  #asking: Promise<void> | undefined
  #kept = '{}'

  constructor(o: TemplateListDeps) {
    this.#o = o
  }

  /** Call this if the service refused a template that the list allows. */
  expire(): void {
    this.#askedAt = -Infinity
  }

  /** Returns the template's category in the latest list that any process has read. */
  async category({ template_name: name = '', template_language: language = '' }: SendRequest) {
    return (await this.#o.store.categories(this.#o.number))[nameIn(name, language)]
  }

  /** Returns all rows, at most ten minutes old. */
  async all(): Promise<Rows> {
    if (!this.#isFresh(this.#rows)) await this.#ask()
    return this.#rows
  }

  /** Returns the rows of a template, one per language. If `asWanted(rows)` is false, requests the list again first. */
  async named(name: string, asWanted: (rows: readonly TemplateRow[]) => boolean): Promise<Rows> {
    const now = this.#o.clock.wall()
    const againMs = this.#o.local ? 0 : AGAIN_MS
    for (const [other, at] of this.#askedFor) if (now - at >= againMs) this.#askedFor.delete(other)
    const known = this.#rows?.filter((row) => row.name === name)
    if (this.#isFresh(known) && (!known || asWanted(known) || this.#askedFor.has(name))) return known
    this.#askedFor.set(name, now)
    await this.#ask()
    return this.#rows?.filter((row) => row.name === name)
  }

  #isFresh(known: Rows): boolean {
    return this.#o.clock.wall() - this.#askedAt < (known ? FRESH_MS : AFTER_FAILURE_MS)
  }

  async #ask(): Promise<void> {
    this.#asking ??= this.#read()
    await endsWithin(WAIT_MS, this.#o.timers, this.#asking)
  }

  async #read(): Promise<void> {
    this.#askedAt = this.#o.clock.wall()
    try {
      const found: TemplateRow[] = []
      const client = await this.#o.client()
      for await (const row of client.templates.iterate()) found.push(row)
      this.#rows = found
      await this.#keep(found)
    } catch {
      // The known rows stay. If something is wrong with the number, its sends show it.
    }
    this.#asking = undefined
  }

  async #keep(found: readonly TemplateRow[]): Promise<void> {
    const { store, number } = this.#o
    const known = found.filter(({ category }) => category !== null)
    const listed = Object.fromEntries(known.map((row) => [nameIn(row.name, row.language), row.category ?? '']))
    const json = JSON.stringify(listed)
    if (json !== this.#kept) await store.keepCategories(number, listed)
    this.#kept = json
  }
}

function nameIn(name: string | null, language: string | null): string {
  return `${name}/${language}`
}

/** Returns why the service would refuse the template, by its own list. `withCode`: it is sent with a one-time code. */
export function templateProblem(
  send: SendRequest,
  rows: readonly TemplateRow[],
  withCode: boolean,
): string | undefined {
  const name = send.template_name ?? ''
  const language = send.template_language ?? ''
  if (rows.length === 0)
    return `the template "${name}" does not exist on this number; \`switchhook templates pull\` prints the types of existing ones`
  const row = rows.find((one) => one.language === language)
  if (!row)
    return `the template "${name}" does not exist in "${language}", only in ${rows.map((one) => one.language || 'a language missing from the list').join(', ')}; there is no fallback to another language`
  // Check the category, because a template that is not yet synchronised shows neither text nor code button (OTP-07).
  if (isForCodes(row) && !withCode) return forCodes(name)
  // Templates in review state FLAGGED or LOCKED are sendable: the member `sendable` decides, not the state (TPL-04).
  if (!row.sendable)
    return `the template "${name}" (${language}) cannot be sent now: ${row.unsendable_reason ?? row.status}`
  return shapeProblem(send, row)
}

function forCodes(name: string): string {
  return `the template "${name}" contains a one-time code, which must not be stored: send it with oneTimeCode()`
}

/**
 * Returns why a template must not be stored: its category is for codes, or its category is unknown and it may be for
 * codes (OTP-06). A fallback of unknown category is stored: without the list, its text must still go out (TPL-04).
 */
export async function codeProblem(
  send: SendRequest,
  { list, rows, isFallback }: { readonly list: TemplateList; readonly rows: Rows; readonly isFallback: boolean },
): Promise<string | undefined> {
  const name = send.template_name ?? ''
  const row = rows?.find(({ language }) => language === send.template_language)
  const category = row?.category ?? (await list.category(send))
  if (category !== undefined) return isForCodes({ category }) ? forCodes(name) : undefined
  if (rows || isFallback || !mayBeForCode(send.template_components)) return undefined
  return `the template "${name}" may contain a one-time code, which must not be stored, and the list of templates cannot be read now: send a code with oneTimeCode(), or wait for the list`
}

/** Checks the parameters, if the list shows a text: a template that is not yet synchronised has none (TPL-05). */
function shapeProblem(send: SendRequest, row: TemplateRow): string | undefined {
  const shape = templateShapeOf(row)
  if (!shape) return undefined
  const components = send.template_components ?? []
  const sent = (part: string) => components.filter(({ type }) => type === part)
  const named = `of the template "${send.template_name}"`
  for (const part of ['header', 'body'] as const) {
    const given = sent(part).flatMap(({ parameters }) => parameters ?? [])
    const wanted = shape[part]
    if (typeof wanted === 'string' && (given.length !== 1 || given[0]?.type !== wanted))
      return `the ${part} ${named} needs one ${wanted}, but ${given.length} parameters were passed, or another kind`
    if (typeof wanted === 'number' && (given.length !== wanted || given.some(({ type }) => type !== 'text')))
      return `the ${part} ${named} needs ${wanted} parameters, but ${given.length} were passed`
  }
  const buttons = sent('button')
  for (const { sub_type: kind, index = '0', parameters } of buttons)
    if (shape.buttons[Number(index)] !== kind || parameters?.length !== 1)
      return `buttons[${index}] ${named}: that button takes no such parameter; pass null for each static button before one that has one`
  const missing = shape.buttons.findIndex(
    (kind, at) => kind === 'url' && buttons.filter(({ index }) => index === String(at)).length !== 1,
  )
  return missing < 0 ? undefined : `buttons[${missing}] ${named} needs the end of its address, once`
}

/** What comparable platforms refuse in a parameter. The specification does not state it (SEND-13). */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/[\n\r\v\f\u0085\u2028\u2029]/, 'contains a newline'],
  [/\t/, 'contains a tab'],
  [/[\p{Zs}]{5}/u, 'contains more than four blanks in a row'],
]

/** Returns the place of the first parameter that would be refused, and why, without its text. */
export function parameterProblem({
  template_name: name,
  template_components: components,
}: SendRequest): string | undefined {
  for (const { type, index, parameters = [] } of components ?? [])
    for (const [at, parameter] of parameters.entries()) {
      if (parameter.type !== 'text') continue
      const { text } = parameter
      const why = text === '' || isUnseen(text) ? 'is empty' : REFUSED.find(([form]) => form.test(text))?.[1]
      if (why === undefined) continue
      const place = type === 'button' ? `buttons[${index}]` : `${type}[${at}]`
      return `${place} of the template "${name}" ${why}; if your service accepts that, set templateParameters: 'send'`
    }
  return undefined
}
