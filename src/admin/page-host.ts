import { isA } from '../base/errors.ts'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { builtPageFile } from '../base/built-page.ts'
import { type AnyBot, type BotInternals, type Desk, internalsOf } from '../bot/bot-internals.ts'
import { checkOrigin, type Visitor, WrongPerson } from './door.ts'
import { createHandles, type Handles } from './handles.ts'
import { fetchRequest, isBelowMount, nodeRequest, sendAnswer } from './hosts.ts'
import { GUARDS, type PageRequest, plainPage, refusalAnswer, Refused } from './admin-http.ts'
import type { ViewDeps } from './query.ts'
import { REFUSALS, type RefusalCode } from './requests.ts'

/** A page as Express middleware and as a listener of `node:http`. */
export interface AdminPage {
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void
  /** The page as a fetch-standard function, for Hono, Next and other frameworks with `Request` and `Response`. */
  fetch(this: void, request: Request): Promise<Response>
}

export type PageDeps = Omit<ViewDeps, 'revealed'>

/** The admin page or the desk. */
export interface HostedPage<HostRequest, Route> {
  /** The page's name, for the log. */
  readonly name: string
  /** Attributes for the page's `<html>`, such as the language of its first texts. */
  readonly attributes?: Readonly<Record<string, string>>
  visitorOf(original: HostRequest): Promise<Visitor | undefined>
  routeIn(path: string): Route | undefined
  /** `again`: calls `authorize` again. A stream does so every minute. */
  answer(
    route: Route,
    request: PageRequest,
    visitor: Visitor,
    deps: PageDeps,
    again: () => Promise<Visitor | undefined>,
  ): Promise<Response>
}

export function hostPage<HostRequest, Route>(bot: AnyBot, page: HostedPage<HostRequest, Route>): AdminPage {
  const findDeps = createDeps(internalsOf(bot))
  const answer = (request: PageRequest, original: HostRequest) =>
    answerPage(request, original, page, findDeps).catch((error: unknown) => {
      const refusal = failed(error, page.name, internalsOf(bot))
      return page.routeIn(request.path) ? refusalAnswer(...refusal) : plainPage(REFUSALS[refusal[0]], refusal[1])
    })

  async function answerNode(request: IncomingMessage, response: ServerResponse, next?: () => void): Promise<void> {
    const asked = nodeRequest(request)
    const answered = await answer(asked, request as HostRequest)
    // Pass an unknown path on to `next`: the app may have its own routes below the page's path.
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

async function answerPage<HostRequest, Route>(
  request: PageRequest,
  original: HostRequest,
  page: HostedPage<HostRequest, Route>,
  findDeps: () => Promise<PageDeps | undefined>,
): Promise<Response | undefined> {
  const route = page.routeIn(request.path)
  const visitor = await page.visitorOf(original).catch((error: unknown) => {
    // The files are sent nevertheless, so that the page can show why its first request is refused.
    if (!route && isA(error, WrongPerson)) return 'wrong' as const
    throw new DoorError('authorize() failed', { cause: error })
  })
  if (!visitor)
    return route
      ? refusalAnswer('unauthorized', 'Sign in and reload the page.')
      : plainPage(401, 'This page is not for you, or you are not signed in.')
  if (!route || visitor === 'wrong') return answerFile(request.path, page)
  checkOrigin(request)
  const deps = await findDeps()
  if (!deps) throw new Refused('not_started', 'The bot is not started, or is stopping.')
  return page.answer(route, request, visitor, deps, () => page.visitorOf(original))
}

/** The built pages. The path is the same from the sources and in the published package. */
const FOLDER = new URL('../../dist/pages/', import.meta.url)

async function answerFile(
  path: string,
  { name: page, attributes = {} }: Pick<HostedPage<never, never>, 'name' | 'attributes'>,
): Promise<Response | undefined> {
  const name = path.endsWith('/') ? 'index.html' : /\/((?:assets\/)?[\w-]+\.(?:js|css|svg|png))$/.exec(path)?.[1]
  if (name === undefined) return undefined
  const file = await builtPageFile(name, (inside) => readFile(new URL(`${page}/${inside}`, FOLDER)))
  const body = file && name === 'index.html' ? withAttributes(String(file.body), attributes) : file?.body
  return file
    ? new Response(body, { headers: { ...GUARDS, ...file.headers } })
    : plainPage(404, 'This file does not exist.')
}

function withAttributes(html: string, attributes: Readonly<Record<string, string>>): string {
  const all = Object.entries({ lang: 'en', ...attributes }).map(
    ([name, value]) => ` ${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`,
  )
  return html.replace('<html lang="en">', () => `<html${all.join('')}>`)
}

/** Redirects to the same path with a slash at its end. The address is relative: a proxy may have added a prefix. */
function addSlash(path: string): Response {
  const location = `./${path.slice(path.lastIndexOf('/') + 1)}/`
  return plainPage(308, 'The address of this page ends with a slash.', { Location: location })
}

class DoorError extends Error {}

/** Logs the error. The answer does not contain the error's text, because that may contain a customer's data. */
function failed(error: unknown, page: string, internals: BotInternals): readonly [RefusalCode, string] {
  if (isA(error, Refused)) return [error.code, error.message]
  // The log suppresses repeats of a kind. Strangers may make `authorize` throw: these errors must not suppress others.
  const [kind, err] = isA(error, DoorError) ? ['authorize', error.cause] : [`${page} page`, error]
  internals.desk()?.logThrottled('error', kind, `the ${page} page could not answer`, { err })
  if (isA(err, WrongPerson)) return ['failed', `${err.message}.`]
  return ['failed', 'That failed. The log of the bot contains the reason.']
}

function createDeps(internals: BotInternals): () => Promise<PageDeps | undefined> {
  const all = new WeakMap<object, Promise<Handles>>()

  function handlesOf(store: Desk['store']): Promise<Handles> {
    const known = all.get(store)
    if (known) return known
    const made = store.secret('admin').then(createHandles)
    all.set(store, made)
    // After a failure the next request reads the secret again.
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
