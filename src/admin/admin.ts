import { isA } from '../base/errors.ts'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { builtPageFile } from '../base/built-page.ts'
import { type AnyBot, type BotInternals, type Desk, internalsOf } from '../bot/in/bot-internals.ts'
import { type AdminOptions, checkOptions, checkOrigin, type Person, visitorOf } from './door.ts'
import { createHandles, type Handles } from './handles.ts'
import { fetchRequest, isBelowMount, nodeRequest, sendAnswer } from './hosts.ts'
import { GUARDS, type PageRequest, plainPage, refusalAnswer, Refused } from './admin-http.ts'
import { answerRoute, type RouteDeps, routeIn } from './admin-routes.ts'
export type { AdminOptions, Person } from './door.ts'

/** The page as Express middleware and as a listener of `node:http`. */
export interface AdminPage {
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void
  /** The page as a fetch-standard function, for Hono, Next and other frameworks with `Request` and `Response`. */
  fetch(this: void, request: Request): Promise<Response>
}

/**
 * Makes the admin page of a bot. It shows the bot's work and everything that waits for a person, and lets the person
 * fix it. Make it once and mount it at its own path, which ends with a slash. The page answers every request below that
 * path.
 *
 * ```ts
 * app.use('/admin', adminPage(bot, { authorize: (request) => request.user?.email }))
 * ```
 *
 * @throws SwitchhookError `options_invalid`
 */
export function adminPage<HostRequest = IncomingMessage, Who extends Person = Person>(
  bot: AnyBot,
  o: AdminOptions<HostRequest, Who>,
): AdminPage {
  checkOptions(o)
  const findDeps = createDeps(internalsOf(bot))
  const answer = (request: PageRequest, original: HostRequest) =>
    answerPage(request, original, o, findDeps).catch((error: unknown) => failed(error, internalsOf(bot)))

  async function answerNode(request: IncomingMessage, response: ServerResponse, next?: () => void): Promise<void> {
    const asked = nodeRequest(request)
    const answered = await answer(asked, request as HostRequest)
    // Below a path that Express has mounted, the app may have its own routes.
    if (!answered && next && isBelowMount(request)) next()
    else await sendAnswer(request, response, answered ?? addSlash(asked.path))
  }

  return Object.assign(
    (request: IncomingMessage, response: ServerResponse, next?: () => void) => void answerNode(request, response, next),
    {
      async fetch(request: Request) {
        const asked = fetchRequest(request)
        return (await answer(asked, request as HostRequest)) ?? addSlash(asked.path)
      },
    },
  )
}

async function answerPage<HostRequest, Who extends Person>(
  request: PageRequest,
  original: HostRequest,
  o: AdminOptions<HostRequest, Who>,
  findDeps: () => Promise<RouteDeps | undefined>,
): Promise<Response | undefined> {
  const route = routeIn(request.path)
  const visitor = await visitorOf(o, original).catch((error: unknown) => {
    throw new DoorError('authorize() failed', { cause: error })
  })
  if (!visitor)
    return route
      ? refusalAnswer('unauthorized', 'Sign in and reload the page.')
      : plainPage(401, 'This page is not for you, or you are not signed in.')
  if (!route) return answerFile(request.path)
  checkOrigin(request)
  const deps = await findDeps()
  if (!deps) throw new Refused('not_started', 'The bot is not started, or is stopping.')
  return answerRoute(route, request, visitor, deps)
}

/** The folder of the built page. The path is the same from the sources and from the published package. */
const FOLDER = new URL('../../dist/pages/admin/', import.meta.url)

async function answerFile(path: string): Promise<Response | undefined> {
  const name = path.endsWith('/') ? 'index.html' : /\/((?:assets\/)?[\w-]+\.(js|css|svg))$/.exec(path)?.[1]
  if (name === undefined) return undefined
  const file = await builtPageFile(name, (inside) => readFile(new URL(inside, FOLDER), 'utf8'))
  return file
    ? new Response(file.body, { headers: { ...GUARDS, ...file.headers } })
    : plainPage(404, 'This file does not exist.')
}

/** Redirects to the same path with a slash at its end, without naming a host or a prefix. */
function addSlash(path: string): Response {
  const location = `./${path.slice(path.lastIndexOf('/') + 1)}/`
  return plainPage(308, 'The address of this page ends with a slash.', { Location: location })
}

class DoorError extends Error {}

/** The error is only logged, because its text may contain anything. */
function failed(error: unknown, internals: BotInternals): Response {
  if (isA(error, Refused)) return refusalAnswer(error.code, error.message)
  // Strangers can make `authorize` throw. Its errors are counted separately, so that they suppress no others.
  const [kind, err] = isA(error, DoorError) ? ['authorize', error.cause] : ['admin page', error]
  internals.desk()?.logThrottled('error', kind, 'the admin page could not answer', { err })
  return refusalAnswer('failed', 'That failed. The log of the bot contains the reason.')
}

function createDeps(internals: BotInternals): () => Promise<RouteDeps | undefined> {
  const all = new WeakMap<object, Promise<Handles>>()

  function handlesOf(store: Desk['store']): Promise<Handles> {
    const known = all.get(store)
    if (known) return known
    const made = store.secret('admin').then(createHandles)
    all.set(store, made)
    // The next request reads the secret again, because the database may have been unreachable.
    made.catch(() => all.delete(store))
    return made
  }

  return async () => {
    const desk = internals.desk()
    if (!desk) return undefined
    return {
      desk,
      handles: await handlesOf(desk.store),
      failuresInARow: async () => (await internals.gauges())?.failuresInARow ?? 0,
    }
  }
}
