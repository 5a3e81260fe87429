/** Sign in and sign out, with names and passwords. */
import express, { type Request, type Response, Router } from 'express'
import { SIGN_IN } from '../words.ts'
import { checkPassword, type Person } from './people.ts'
import type { Sessions } from './session.ts'
import { signInPage } from './sign-in-page.ts'
import { createThrottle } from './throttle.ts'

/** Where a person goes who has signed in. No other address: a link must not lead elsewhere through this page. */
const TARGETS = ['/desk/', '/admin/']

const LONGEST_PASSWORD = 200

/**
 * YOUR IDENTITY PROVIDER GOES HERE. If your people have accounts already (Google, Microsoft, Keycloak), replace this file:
 * `GET /sign-in` redirects to the provider, and its answer comes to a route such as `GET /sign-in/answer`. A library such
 * as openid-client checks that answer. Then find the person by the address that the provider has verified, and call
 * `sessions.begin(person, request, response)`. All else stays: the session, the desk, and the list of who may come in.
 */
export function signIn({ people, sessions }: { people: readonly Person[]; sessions: Sessions }): Router {
  const throttle = createThrottle()
  const router = Router()

  router.get('/sign-in', (request, response) => show(response, 200, { to: targetOf(request) }))

  router.post('/sign-in', express.urlencoded({ extended: false, limit: '4kb' }), async (request, response) => {
    const { name, password } = (request.body ?? {}) as Record<string, unknown>
    const to = targetOf(request)
    if (typeof name !== 'string' || typeof password !== 'string' || password.length > LONGEST_PASSWORD)
      return show(response, 400, { to, problem: SIGN_IN.wrong })
    // Another site could sign a browser in under a name of its choice.
    if (!isFromHere(request)) return show(response, 403, { to, name, problem: SIGN_IN.elsewhere })
    if (!throttle.mayTry(name)) return show(response, 429, { to, name, problem: SIGN_IN.tooMany })
    const person = await checkPassword(people, name, password)
    if (!person) return show(response, 401, { to, name, problem: SIGN_IN.wrong })
    throttle.succeeded(name)
    await sessions.begin(person, request, response)
    response.redirect(303, to)
  })

  // The link of the desk. From another site it only asks.
  router.get('/sign-out', async (request, response) => {
    if (!isFromHere(request)) return show(response, 200, { isSignOut: true })
    await sessions.end(request, response)
    response.redirect(303, '/sign-in')
  })

  router.post('/sign-out', async (request, response) => {
    if (!isFromHere(request)) return show(response, 403, { isSignOut: true, problem: SIGN_IN.elsewhere })
    await sessions.end(request, response)
    response.redirect(303, '/sign-in')
  })

  return router
}

function show(response: Response, status: number, content: Parameters<typeof signInPage>[0]): void {
  const { html, headers } = signInPage(content)
  response.status(status).set(headers).send(html)
}

function targetOf({ query }: Request): string {
  return TARGETS.find((target) => target === query['to']) ?? '/desk/'
}

/** Browsers name the sender in `Sec-Fetch-Site`, but only to addresses that they trust; to others in `Origin`. */
function isFromHere(request: Request): boolean {
  const site = request.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const from = URL.parse(request.get('origin') ?? '')?.host
  return from !== undefined && [request.get('host'), request.get('x-forwarded-host')].includes(from)
}
