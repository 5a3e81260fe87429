import type { IncomingMessage, ServerResponse } from 'node:http'
import { realTimers } from '../base/clock.ts'
import { type AnyBot, type BotInternals, internalsOf } from '../receive/bot-internals.ts'
import type { Desk } from '../receive/desk.ts'
import type { Hooks } from '../report/index.ts'
import { answerTo, routeIn, viewDeps } from './answer.ts'
import { checkOrigin, visitorOf } from './door.ts'
import { fetchAnswer, fetchRequest } from './fetch-host.ts'
import { fileAnswer, fileIn } from './files.ts'
import { type PageAnswer, type PageRequest, plainPage, refusalAnswer, Refused } from './http.ts'
import { isWhollyMounted, lastSegment, nodeRequest, sendPageAnswer } from './node-host.ts'
import { type AdminOptions, checkOptions, type Person } from './options.ts'
import { createPlotter, type Plotter } from './plot.ts'
import { createSearchLimit } from './search-limit.ts'
import { createSealer, type Sealer } from './sealed.ts'
import { createStreams } from './stream.ts'
import { lookAt } from './views/health.ts'

/** Accepts any bot. */
export interface Observable extends AnyBot {
  observe(hooks: Hooks): unknown
}

/** The page as middleware of Express and as a listener of `node:http`. */
export interface AdminPage {
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void
  /** The page as a function of the fetch standard, for Hono, Next and whatever else speaks `Request` and `Response`. */
  fetch(this: void, request: Request): Promise<Response>
}

/**
 * Makes the admin page of a bot: what it does, what waits for a person, and the means to put it right. Make it once, and
 * mount it at a path of its own, below which it answers everything; let that path end with a slash.
 *
 * ```ts
 * app.use('/admin', adminPage(bot, { authorize: (request) => request.user?.email }))
 * ```
 *
 * @throws SwitchhookError `options_invalid`
 */
export function adminPage<HostRequest = IncomingMessage, Who extends Person = Person>(
  bot: Observable,
  o: AdminOptions<HostRequest, Who>,
): AdminPage {
  checkOptions(o)
  const site = createSite(internalsOf(bot), o)
  bot.observe(site.plotter.hooks)

  const page = (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) =>
    void answerNode(site, request, response, next)
  return Object.assign(page, { fetch: (request: Request) => answerFetch(site, request) })
}

async function answerFetch<HostRequest>(site: Site<HostRequest>, request: Request): Promise<Response> {
  const asked = fetchRequest(request)
  return fetchAnswer((await site.answer(asked, request as HostRequest)) ?? beside(asked.path))
}

async function answerNode<HostRequest>(
  site: Site<HostRequest>,
  request: IncomingMessage,
  response: ServerResponse,
  next: ((error?: unknown) => void) | undefined,
): Promise<void> {
  const answer = await site.answer(nodeRequest(request), request as HostRequest)
  if (answer) return sendPageAnswer(request, response, answer)
  // Express knows the mount path: what is below it and none of ours may be the app's.
  if (isWhollyMounted(request) && next) return next()
  sendPageAnswer(request, response, beside(lastSegment(request)))
}

/** To the same path with a slash at its end, by which the page's relative addresses go; no host and no prefix is named. */
function beside(path: string): PageAnswer {
  const segment = path.slice(path.lastIndexOf('/') + 1)
  const moved = plainPage(308, 'The page stands at this address with a slash at its end.')
  return { ...moved, headers: { ...moved.headers, location: `./${segment}/` } }
}

interface Site<HostRequest> {
  readonly plotter: Plotter
  /** Undefined for a path that is none of the page's. */
  answer(request: PageRequest, original: HostRequest): Promise<PageAnswer | undefined>
}

function createSite<HostRequest, Who extends Person>(
  internals: BotInternals,
  o: AdminOptions<HostRequest, Who>,
): Site<HostRequest> {
  const plotter = createPlotter(Date.now)
  const maySearch = createSearchLimit()
  const sealers = new WeakMap<object, Promise<Sealer>>()
  const streams = createStreams({
    async look() {
      const present = await deps()
      return present && lookAt(viewDeps(present, false))
    },
    timers: () => internals.desk()?.timers ?? realTimers,
    now: Date.now,
  })

  async function deps() {
    const desk = internals.desk()
    if (!desk) return undefined
    return { internals, desk, plotter, streams, maySearch, sealer: await sealerOf(desk.store) }
  }

  function sealerOf(store: Desk['store']): Promise<Sealer> {
    const known = sealers.get(store)
    if (known) return known
    const made = store.secret('admin').then(createSealer)
    sealers.set(store, made)
    // A secret that could not be read is asked for again: the database may have been away.
    made.catch(() => sealers.delete(store))
    return made
  }

  async function answer(request: PageRequest, original: HostRequest): Promise<PageAnswer | undefined> {
    const route = routeIn(request.path)
    const visitor = await visitorOf(o, original)
    if (!visitor)
      return route
        ? refusalAnswer('unauthorized', 'Sign in, and load the page again.')
        : plainPage(401, 'This page is not for you, or you are not signed in.')
    if (!route) {
      const file = fileIn(request.path)
      return file === undefined ? undefined : ((await fileAnswer(file)) ?? plainPage(404, 'There is no such file.'))
    }
    checkOrigin(request)
    const present = await deps()
    if (!present) throw new Refused('not_started', 'The bot is not started, or stops.')
    return answerTo(route, request, visitor, present)
  }

  return {
    plotter,
    answer: (request, original) => answer(request, original).catch((error: unknown) => failed(error, internals)),
  }
}

/** Answers what went wrong without telling more of it: an error may name anything. */
function failed(error: unknown, internals: BotInternals): PageAnswer {
  if (error instanceof Refused) return refusalAnswer(error.code, error.message)
  internals.desk()?.log.error({ err: error }, 'the admin page could not answer')
  return refusalAnswer('failed', 'That failed; the log of the bot says why.')
}
