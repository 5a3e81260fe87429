import { isRecord, type MaybeAsync } from '../base/value.ts'
import { type PageRequest, Refused } from './http.ts'
import type { AdminOptions, Person } from './options.ts'

/** A person who passed the door, and what they may do. */
export interface Visitor {
  readonly who: string
  mayAct(): Promise<boolean>
  mayReveal(): Promise<boolean>
}

const LONGEST_NAME = 200

/** Asks the app who it is; undefined for nobody. */
export async function visitorOf<Request, Who extends Person>(
  { authorize, readOnly = false, reveal = false }: AdminOptions<Request, Who>,
  request: Request,
): Promise<Visitor | undefined> {
  const found: unknown = await authorize(request)
  if (found === undefined || found === null || found === false) return undefined
  const name: unknown = isRecord(found) ? found['name'] : found
  // `true` or an empty name would leave the record of acts without a person.
  if (typeof name !== 'string' || name.trim() === '')
    throw new TypeError('authorize() of adminPage() gave neither a name, nor an object with one, nor nothing')
  const who = found as Who
  return {
    who: name.replaceAll(/\p{C}/gu, ' ').slice(0, LONGEST_NAME),
    mayAct: async () => !(await holds(readOnly, who)),
    mayReveal: () => holds(reveal, who),
  }
}

async function holds<Who>(rule: boolean | ((who: Who) => MaybeAsync<boolean>), who: Who): Promise<boolean> {
  return typeof rule === 'function' ? rule(who) : rule
}

/** A browser sends it from scripts of the page alone: another origin's script would have to ask first, and is not let. */
const OUR_HEADER = 'x-switchhook-admin'

/**
 * Refuses what another site's page has the browser ask. Browsers tell by `Sec-Fetch-Site` where a request comes from, on
 * addresses that they trust; on others the origin is compared with the host, also as a proxy tells it.
 *
 * @throws Refused `other_origin`
 */
export function checkOrigin(request: PageRequest): void {
  const site = request.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw elsewhere()
  if (request.method === 'GET') return
  if (request.header(OUR_HEADER) === undefined || site === 'none') throw elsewhere()
  const origin = request.header('origin')
  if (site === undefined && origin !== undefined && !hostsOf(request).includes(URL.parse(origin)?.host ?? origin))
    throw elsewhere()
}

function elsewhere(): Refused {
  return new Refused('other_origin', 'This was not asked by the admin page itself.')
}

function hostsOf(request: PageRequest): string[] {
  const told = request.header('x-forwarded-host')?.split(',') ?? []
  return [request.header('host') ?? '', ...told].map((host) => host.trim().toLowerCase()).filter((host) => host !== '')
}
