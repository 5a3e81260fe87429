import { optionsInvalid } from '../base/errors.ts'
import { isRecord, kindOf, type MaybeAsync } from '../base/value.ts'
import { type PageRequest, Refused } from './admin-http.ts'
import type { Scope } from './scope.ts'

/** A person who uses the page: a name, or a name with rights. The page shows the name beside the person's actions. */
export type Person =
  | string
  | {
      readonly name: string
      /** True if the person may answer customers at the desk. It needs `reveal`. Default false. */
      readonly write?: boolean
      /** True if the person may read numbers, names and texts. The option `reveal` has precedence. Default false. */
      readonly reveal?: boolean
      /** True if the person may pause, resume and cancel announcements. Default true. `readOnly` has precedence. */
      readonly announce?: boolean
      /** True if the person may retry deliveries, and settle, cancel and resume sends. Default as for `announce`. */
      readonly retry?: boolean
      /** The bot's numbers that the person may see and act on. Default all. */
      readonly numbers?: readonly string[]
    }

/** The options of `adminPage`. `Request`: the request's type in Express, in `node:http` or in the fetch standard. */
export interface AdminOptions<Request, Who extends Person = Person> {
  /**
   * Returns who sends this request, or nothing (`undefined`, `null`, `false`) for a 401. For a person who may see some
   * numbers only, return `numbers` too. Called for every request, including those for the page's files. If it throws,
   * the answer is 500.
   */
  authorize: (request: Request) => MaybeAsync<Who | undefined | null | false>
  /** If true, the person can view everything and change nothing. Default false. */
  readOnly?: boolean | ((who: Who) => MaybeAsync<boolean>)
  /**
   * If true, the person can search by a number and reveal numbers, names and texts. Each time is recorded. Default:
   * what `authorize` returns as `reveal`.
   */
  reveal?: boolean | ((who: Who) => MaybeAsync<boolean>)
  /** The address of the desk, such as `'/desk/'`: the page links to it. Default: no link. */
  desk?: string
}

const OPTIONS = ['authorize', 'readOnly', 'reveal', 'desk']

/** @throws SwitchhookError `options_invalid` */
export function checkOptions(o: unknown): void {
  const refuse = (name: string, problem: string) => optionsInvalid(`${name}: ${problem}`)
  const [unknown] = isRecord(o) ? Object.keys(o).filter((name) => !OPTIONS.includes(name)) : []
  if (unknown !== undefined)
    throw refuse(
      unknown,
      `adminPage(): this option does not exist; its options are authorize, readOnly, reveal and desk`,
    )
  const { authorize, readOnly = false, reveal = false, desk = '/' } = isRecord(o) ? o : {}
  if (typeof authorize !== 'function')
    throw refuse(
      'authorize',
      'adminPage() expects a function that returns who sends a request, or nothing; without it anybody could read messages',
    )
  for (const [name, given] of Object.entries({ readOnly, reveal }))
    if (typeof given !== 'boolean' && typeof given !== 'function')
      throw refuse(name, `adminPage() expects true, false or a function of the person, got ${kindOf(given)}`)
  if (!isAddress(desk)) throw refuse('desk', `adminPage() expects an address such as '/desk/', got ${kindOf(desk)}`)
}

/** Tells whether a value is an address of a page, and not for example a `javascript:` link. */
export function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^(?:\.{0,2}\/|https?:)/.test(value)
}

export interface Visitor {
  readonly who: string
  mayAct(): Promise<boolean>
  mayReveal(): Promise<boolean>
  mayWrite(): Promise<boolean>
  mayAnnounce(): Promise<boolean>
  mayRetry(): Promise<boolean>
  readonly scope: Scope
}

const LONGEST_NAME = 200

export async function visitorOf<Request, Who extends Person>(
  { authorize, readOnly = false, reveal }: AdminOptions<Request, Who>,
  request: Request,
): Promise<Visitor | undefined> {
  const found: unknown = await authorize(request)
  if (found === undefined || found === null || found === false) return undefined
  const { name, numbers, ...rights } = isRecord(found) ? found : { name: found }
  // `true` or an empty name would record acts without a person.
  if (typeof name !== 'string' || name.trim() === '')
    throw new WrongPerson('authorize() returned neither a name, nor an object with one, nor nothing')
  const who = found as Who
  const mayAct = async () => !(await readRight('readOnly', readOnly, who))
  const mayReveal = async () =>
    reveal === undefined ? readFlag(rights, 'reveal', false) : readRight('reveal', reveal, who)
  const mayWrite = readFlag(rights, 'write', false)
  if (mayWrite && !(await mayReveal()))
    throw new WrongPerson(
      'authorize() returned write without reveal: this person could answer what they may not read. Return reveal: true beside write',
    )
  const [announces, retries] = [readFlag(rights, 'announce', true), readFlag(rights, 'retry', true)]
  return {
    who: name.replaceAll(/\p{C}/gu, ' ').slice(0, LONGEST_NAME),
    mayAct,
    mayReveal,
    mayWrite: async () => mayWrite && (await mayAct()),
    mayAnnounce: async () => announces && (await mayAct()),
    mayRetry: async () => retries && (await mayAct()),
    scope: readScope(numbers),
  }
}

/** An error for a wrong return value of `authorize`. Its message is safe to show. */
export class WrongPerson extends TypeError {}

function readFlag(rights: Readonly<Record<string, unknown>>, name: string, usual: boolean): boolean {
  const given = rights[name] ?? usual
  if (typeof given === 'boolean') return given
  throw new WrongPerson(`authorize() returned ${kindOf(given)} as ${name}, expected true or false`)
}

function readScope(numbers: unknown): Scope {
  if (numbers === undefined) return undefined
  if (Array.isArray(numbers) && numbers.every((one) => typeof one === 'string')) return numbers
  throw new WrongPerson(`authorize() returned ${kindOf(numbers)} as numbers, expected a list of names`)
}

async function readRight<Who>(
  name: string,
  rule: boolean | ((who: Who) => MaybeAsync<boolean>),
  who: Who,
): Promise<boolean> {
  const answer: unknown = typeof rule === 'function' ? await rule(who) : rule
  if (typeof answer === 'boolean') return answer
  throw new TypeError(`${name}() of adminPage() returned ${kindOf(answer)}, expected true or false`)
}

/** Only the page's own scripts can send this header. A script of another origin needs a preflight, which is refused. */
const OUR_HEADER = 'x-switchhook-admin'

/**
 * Refuses requests that another site's page makes the browser send. Browsers report the sender in `Sec-Fetch-Site`, but
 * only to addresses that they trust, such as HTTPS. Without that header, `Origin` is compared with the host.
 *
 * @throws Refused `other_origin`
 */
export function checkOrigin(request: PageRequest): void {
  const site = request.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw otherOrigin(`Sec-Fetch-Site is ${site}`)
  if (request.method === 'GET' || request.method === 'HEAD') return
  if (request.header(OUR_HEADER) === undefined) throw otherOrigin(`${OUR_HEADER} is missing`)
  if (site === 'none') throw otherOrigin('Sec-Fetch-Site is none')
  const origin = request.header('origin')
  if (site !== undefined || origin === undefined) return
  const [from, hosts] = [URL.parse(origin)?.host ?? origin, hostsOf(request)]
  if (!hosts.includes(from))
    throw otherOrigin(
      `Origin is ${from}, Host is ${hosts.join(', ')}. Let the proxy pass the Host of the browser with its port: in nginx $http_host`,
    )
}

function otherOrigin(header: string): Refused {
  return new Refused('other_origin', `This request did not come from the page itself: ${header}.`)
}

function hostsOf(request: PageRequest): string[] {
  const forwarded = request.header('x-forwarded-host')?.split(',') ?? []
  const hosts = [request.header('host') ?? '', ...forwarded]
  return hosts.map((host) => host.trim().toLowerCase()).filter((host) => host !== '')
}
