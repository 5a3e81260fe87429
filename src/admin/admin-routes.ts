import { asRecord } from '../base/value.ts'
import { iso } from '../view/delivery-view.ts'
import { prepareAct } from './acts.ts'
import { PARTS } from './features.ts'
import type { RouteDeps } from './part.ts'
import type { ActRecord, CustomerView, DeliveryView, Found, Me, SendView, State } from './api.ts'
import { BODIES, type Page } from './requests.ts'
import type { Visitor } from './door.ts'
import { maskedName } from './handles.ts'
import { checkedBody, jsonAnswer, jsonOf, type PageRequest, Refused } from './admin-http.ts'
import { limitIn, numberIn, type ViewDeps } from './query.ts'
import { recorded } from './record.ts'
import { previewRetry } from './retry-selected.ts'
import {
  checkScope,
  onlyOne,
  ownDeliveries,
  type Scope,
  isSeenWithin,
  ownPart,
  scopedAct,
  scopedFilter,
  scopedQuery,
  withinScope,
} from './scope.ts'
import { describeSearch, search } from './search.ts'
import { showCustomer } from './views/customers-view.ts'
import { listDeliveries, showDelivery } from './views/deliveries-view.ts'
import { readHealth } from './views/health-view.ts'
import { listSends, showSend } from './views/sends-view.ts'
import { readTrend } from './views/trend-view.ts'

type List = (query: URLSearchParams, deps: ViewDeps, scope: Scope) => Promise<unknown>
type Shown = CustomerView | DeliveryView | SendView
type Show = (id: string, deps: ViewDeps, query: URLSearchParams) => Promise<Shown>

const LISTS: Readonly<Record<string, List>> = {
  async deliveries(query, deps, scope) {
    const page = await listDeliveries(query, deps)
    return { ...page, rows: ownDeliveries(page.rows, scope) }
  },
  sends: listSends,
  acts: listActs,
}

const SHOWS: Readonly<Record<string, Show>> = {
  deliveries: showDelivery,
  sends: showSend,
  customers: showCustomer,
}

type Post = (body: unknown, visitor: Visitor, deps: RouteDeps) => Promise<unknown>

const POSTS: Readonly<Record<string, Post>> = {
  search(body, visitor, deps) {
    return find(checkedBody(BODIES.search, body).text.trim(), visitor, deps)
  },
  reveal: (body, visitor, deps) => reveal(checkedBody(BODIES.reveal, body).view, visitor, deps),
  async preview(body, visitor, deps) {
    await checkMayAct(visitor)
    await checkRight(visitor.mayRetry(), 'retry deliveries')
    return previewRetry(scopedFilter(checkedBody(BODIES.preview, body).filter, visitor.scope), {
      ...deps,
      scope: visitor.scope,
    })
  },
  async act(body, visitor, deps) {
    await checkMayAct(visitor)
    const asked = scopedAct(checkedBody(BODIES.act, body), visitor.scope)
    for (const { acts = {}, right } of PARTS.values())
      if (right && asked.act in acts) await checkRight(right.isGiven(visitor), right.what)
    if (OF_RETRY.includes(asked.act)) await checkRight(visitor.mayRetry(), 'retry or settle anything')
    const { what, numbers, run } = await prepareAct(asked, { ...deps, scope: visitor.scope })
    checkScope(numbers, visitor.scope)
    const number = onlyOne(numbers ?? visitor.scope)
    return recorded({ who: visitor.who, act: asked.act, what, number }, deps.desk, run, ({ count }) => count)
  },
  ...postsOfFeatures(),
}

function postsOfFeatures(): Readonly<Record<string, Post>> {
  const all = [...PARTS.values()].flatMap(({ posts = {} }) => Object.entries(posts))
  return Object.fromEntries(
    all.map(([name, post]): [string, Post] => [
      name,
      async (body, visitor, deps) =>
        post(checkedBody<unknown>(BODIES[name as keyof typeof BODIES], body) as never, visitor, deps),
    ]),
  )
}

const NAMES = ['state', 'trend', ...Object.keys(POSTS), ...Object.keys({ ...LISTS, ...SHOWS }), ...PARTS.keys()]
const ROUTE = new RegExp(`/api/(${NAMES.join('|')})(?:/([^/]+))?$`)

export interface Route {
  readonly name: string
  readonly id: string | undefined
}

export function routeIn(path: string): Route | undefined {
  const [, name, id] = ROUTE.exec(path) ?? []
  if (name === undefined) return undefined
  try {
    return { name, id: id === undefined ? undefined : decodeURIComponent(id) }
  } catch {
    return undefined
  }
}

export function answerRoute(...asked: Parameters<typeof answer>): Promise<Response> {
  return withinScope(asked[2].scope, () => answer(...asked))
}

async function answer(route: Route, request: PageRequest, visitor: Visitor, deps: RouteDeps): Promise<Response> {
  const post = POSTS[route.name]
  const methods = post ? ['POST'] : ['GET', 'HEAD']
  if (!methods.includes(request.method)) throw new Refused('method_not_allowed', `The method must be ${methods[0]}.`)
  if (post) {
    const answered = await post(await jsonOf(request), visitor, deps)
    return answered instanceof Response ? answered : jsonAnswer(answered)
  }
  const masked = { ...deps, revealed: false }
  if (route.name === 'state') return jsonAnswer(await stateOf(visitor, masked))
  if (route.name === 'trend') return jsonAnswer(await readTrend(request.query, masked, visitor.scope))
  return jsonAnswer(await view(route, request.query, visitor, masked))
}

/** @throws Refused `read_only` */
async function checkMayAct(visitor: Visitor): Promise<void> {
  if (!(await visitor.mayAct())) throw new Refused('read_only', 'You may view everything and change nothing.')
}

/** The acts that need the right `retry`. */
const OF_RETRY: readonly string[] = ['retry', 'resolve', 'resume', 'cancel']

async function checkRight(may: Promise<boolean>, what: string): Promise<void> {
  if (!(await may)) throw new Refused('may_not', `You may not ${what}.`)
}

async function view({ name, id }: Route, query: URLSearchParams, { scope }: Visitor, deps: ViewDeps): Promise<unknown> {
  const [list, show, part] = [LISTS[name] ?? PARTS.get(name)?.list, SHOWS[name], PARTS.get(name)]
  if (id === undefined && list) return list(scopedQuery(name, query, scope), deps, scope)
  if (id !== undefined && show) return scopedView(await show(id, deps, query), scope)
  if (id === undefined || !part?.show) throw new Refused('not_found', 'This view does not exist.')
  const shown = await part.show(id, deps, query)
  checkScope([shown.number], scope)
  return shown
}

/** Leaves out rows of numbers outside `scope`. @throws Refused `not_found` if the shown row itself is outside. */
function scopedView(view: Shown, scope: Scope): Shown {
  checkScope('items' in view ? view.items.map(({ number }) => number) : [view.number], scope)
  if (scope === undefined) return view
  if ('deliveries' in view) return { ...view, deliveries: ownDeliveries(view.deliveries, scope) }
  if (!('subscription' in view)) return view
  return { ...view, subscription: ownPart(view.subscription, scope), sent: view.sent.filter(isSeenWithin(scope)) }
}

/** The record of acts does not contain the text, because it may be a customer's name. */
async function find(text: string, { who, mayReveal, scope }: Visitor, deps: RouteDeps): Promise<Found> {
  const may = { mayReveal: await mayReveal(), scope }
  return recorded(
    { who, act: 'search', what: describeSearch(text), number: onlyOne(scope) },
    deps.desk,
    () => search(text, may, { ...deps, revealed: false }),
    (found) => Object.values(found).flat().length,
  )
}

async function reveal(path: string, visitor: Visitor, deps: RouteDeps): Promise<unknown> {
  if (!(await visitor.mayReveal())) throw new Refused('not_revealed', 'You may not reveal it.')
  const [address = '', query] = path.split('?')
  const route = routeIn(`/${address}`)
  if (!route) throw new Refused('not_found', 'This view does not exist.')
  // `view` throws if the view does not exist, so read it before you record. Show it only after it is recorded.
  const shown = await view(route, new URLSearchParams(query), visitor, { ...deps, revealed: true })
  return recorded(
    { who: visitor.who, act: 'reveal', what: nameOf(route, deps), number: onlyOne(numbersIn(shown) ?? visitor.scope) },
    deps.desk,
    async () => shown,
    () => 1,
  )
}

function numbersIn(shown: unknown): readonly string[] | undefined {
  const { number } = asRecord(shown)
  return typeof number === 'string' ? [number] : undefined
}

function nameOf({ name, id }: Route, { handles }: RouteDeps): string {
  if (id === undefined) return `the list of ${name}`
  if (name === 'customers') return maskedName(id, handles)
  return `${name === 'sends' ? 'send' : (PARTS.get(name)?.row ?? 'delivery')} ${id}`
}

async function listActs(query: URLSearchParams, { desk }: ViewDeps, scope: Scope): Promise<Page<ActRecord>> {
  const page = { limit: limitIn(query), after: numberIn(query, 'after'), numbers: scope }
  const { acts, next } = await desk.store.listActs(page)
  return {
    rows: acts.map(({ seq, who, act, what, count, at }) => {
      return { seq, who, what, count, act: act as ActRecord['act'], at: iso(at) }
    }),
    ...(next !== undefined && { next: String(next) }),
  }
}

async function stateOf(visitor: Visitor, deps: ViewDeps & RouteDeps): Promise<State> {
  const me: Me = {
    who: visitor.who,
    readOnly: !(await visitor.mayAct()),
    reveal: await visitor.mayReveal(),
    announce: await visitor.mayAnnounce(),
    retry: await visitor.mayRetry(),
    numbers: visitor.scope ?? deps.desk.numbers,
    everyNumber: visitor.scope === undefined,
  }
  return { me, ...(await readHealth(deps, visitor.scope)), desk: deps.deskAddress }
}
