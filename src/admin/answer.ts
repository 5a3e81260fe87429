import { maskPhone } from '../base/mask.ts'
import type { BotInternals } from '../receive/bot-internals.ts'
import type { Desk } from '../receive/desk.ts'
import { ACTS } from './acts.ts'
import type { ActName, Found, Me } from './api.ts'
import { type Members, membersOf } from './bodies.ts'
import type { Visitor } from './door.ts'
import { jsonAnswer, type PageAnswer, type PageRequest, Refused } from './http.ts'
import type { Plotter } from './plot.ts'
import { previewRetry } from './retry.ts'
import { nameOfCustomer, type Sealer } from './sealed.ts'
import { customerIn, search } from './search.ts'
import { oneOf, type ViewDeps } from './view.ts'
import { LISTS, SHOWS } from './views/index.ts'

export interface AnswerDeps {
  readonly internals: BotInternals
  readonly desk: Desk
  readonly sealer: Sealer
  readonly plotter: Plotter
  /** False if the person has looked for too many customers. */
  maySearch(who: string, now: number): boolean
  streams(): PageAnswer
}

const POSTS = ['search', 'reveal', 'preview', 'act'] as const

/** A route below the mount path: a name, and an id or nothing. */
const ROUTE = new RegExp(
  `/api/(${['me', 'stream', ...POSTS, ...Object.keys(LISTS), ...Object.keys(SHOWS)].join('|')})(?:/([^/]+))?$`,
)

/** The route that a path ends in; the mount path may be any. */
export function routeIn(path: string): { readonly name: string; readonly id: string | undefined } | undefined {
  const [, name, id] = ROUTE.exec(path) ?? []
  if (name === undefined) return undefined
  try {
    return { name, id: id === undefined ? undefined : decodeURIComponent(id) }
  } catch {
    return undefined
  }
}

type Route = NonNullable<ReturnType<typeof routeIn>>

export async function answerTo(
  route: Route,
  request: PageRequest,
  visitor: Visitor,
  deps: AnswerDeps,
): Promise<PageAnswer> {
  if (POSTS.some((name) => name === route.name)) {
    if (request.method !== 'POST') throw new Refused('method_not_allowed', 'The method must be POST.')
    return jsonAnswer(await post(route.name, membersOf(await request.json()), visitor, deps))
  }
  if (request.method !== 'GET') throw new Refused('method_not_allowed', 'The method must be GET.')
  if (route.name === 'stream') return deps.streams()
  if (route.name === 'me') return jsonAnswer(await meOf(visitor, deps))
  return jsonAnswer(await view(route, request.query, viewDeps(deps, false)))
}

async function view({ name, id }: Route, query: URLSearchParams, deps: ViewDeps): Promise<unknown> {
  const [list, show] = [LISTS[name], SHOWS[name]]
  if (id === undefined && list) return list(query, deps)
  if (id !== undefined && show) return show(id, deps)
  throw new Refused('not_found', 'There is no such view.')
}

async function post(name: string, asked: Members, visitor: Visitor, deps: AnswerDeps): Promise<unknown> {
  if (name === 'search') return find(asked, visitor, deps)
  if (name === 'reveal') return reveal(asked, visitor, deps)
  if (!(await visitor.mayAct())) throw new Refused('read_only', 'You may look, and change nothing.')
  if (name === 'preview') return previewRetry(asked.value('filter'), deps)
  const act = oneOf(asked.text('act'), Object.keys(ACTS) as ActName[], 'act')
  const { what, run } = await ACTS[act](asked, deps)
  return recorded({ who: visitor.who, act, what }, deps.desk, run, (done) => done.count)
}

/** Searches; if it is for a customer, that is recorded, and only so many are looked for. */
async function find(asked: Members, { who }: Visitor, deps: AnswerDeps): Promise<Found> {
  const text = asked.text('text').trim()
  const customer = customerIn(text)
  if (customer === undefined) return search(text, viewDeps(deps, false))
  if (!deps.maySearch(who, deps.desk.clock.wall()))
    throw new Refused(
      'too_many',
      'You have looked for many customers within a minute: wait a moment, and search again.',
    )
  const looks = { who, act: 'search', what: `customer ${maskPhone(customer)}` }
  const run = () => search(text, viewDeps(deps, false))
  return recorded(looks, deps.desk, run, ({ customers }) => customers.length)
}

/** Shows a view with nothing masked, and records that. */
async function reveal(asked: Members, visitor: Visitor, deps: AnswerDeps): Promise<unknown> {
  if (!(await visitor.mayReveal())) throw new Refused('not_revealed', 'You may not have it shown.')
  const [path = '', query] = asked.text('view').split('?')
  const route = routeIn(`/${path}`)
  if (!route || !(route.name in LISTS || route.name in SHOWS)) throw new Refused('not_found', 'There is no such view.')
  const filters = new URLSearchParams(query)
  // A text that is no id is refused here, before it is on record for good.
  await view(route, filters, viewDeps(deps, false))
  const reveals = { who: visitor.who, act: 'reveal', what: nameOf(route, filters, deps) }
  const run = () => view(route, filters, viewDeps(deps, true))
  return recorded(reveals, deps.desk, run, () => 1)
}

/** The lists that can be of one customer alone. */
const OF_A_CUSTOMER = ['deliveries', 'sends', 'conversations']

function nameOf({ name, id }: Route, filters: URLSearchParams, { sealer }: AnswerDeps): string {
  if (id === undefined) {
    const handle = OF_A_CUSTOMER.includes(name) ? filters.get('customer') : null
    return `the list of ${name}${handle === null ? '' : ` of ${nameOfCustomer(handle, sealer)}`}`
  }
  if (name === 'customers') return nameOfCustomer(id, sealer)
  return `${name === 'sends' ? 'send' : 'delivery'} ${id}`
}

/** Records an act before it is done, and its end; one that failed changed nothing that is known of. */
async function recorded<T>(
  { who, act, what }: { readonly who: string; readonly act: string; readonly what: string },
  { store, acted }: Desk,
  run: () => Promise<T>,
  countOf: (done: T) => number,
): Promise<T> {
  const seq = await store.recordAct({ at: store.clock(), who, act, what })
  try {
    const done = await run()
    const count = countOf(done)
    await store.endAct(seq, count)
    acted({ who, act, what, count })
    return done
  } catch (error) {
    if (error instanceof Refused) await store.endAct(seq, 0)
    throw error
  }
}

async function meOf(visitor: Visitor, { desk }: AnswerDeps): Promise<Me> {
  return {
    who: visitor.who,
    readOnly: !(await visitor.mayAct()),
    reveal: await visitor.mayReveal(),
    numbers: desk.numbers,
  }
}

export function viewDeps(
  { internals, desk, sealer, plotter }: Omit<AnswerDeps, 'streams'>,
  revealed: boolean,
): ViewDeps {
  return {
    desk,
    sealer,
    plotter,
    role: internals.role() ?? 'both',
    gauges: async () => internals.gauges(),
    revealed,
  }
}
