/** The server: deliveries of the service, the desk for people who answer, and the admin page for those who run the bot. */
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import { adminPage } from 'switchhook/admin'
import { desk } from 'switchhook/desk'
import { health, webhook } from 'switchhook/express'
import { bot } from './bot.ts'
import type { Person } from './desk/people.ts'
import { createSessions } from './desk/session.ts'
import { signIn } from './desk/sign-in.ts'
import { DESK_LANGUAGE, SNIPPETS } from './words.ts'

export interface AppOptions {
  readonly people: readonly Person[]
  readonly sessionSecret: string
  readonly isProduction: boolean
  /** Runs before all else: see dev/start.ts. */
  readonly before?: RequestHandler
}

export function makeApp({ people, sessionSecret, isProduction, before }: AppOptions) {
  const sessions = createSessions({ people, secret: sessionSecret, isProduction })
  /** For the page itself, which people open. What it requests later gets a 401 instead, and the page says so. */
  const first = (to: string) => async (request: Request, response: Response, next: NextFunction) => {
    if (request.path !== '/' || (await sessions.personOf(request))) return next()
    response.redirect(303, `/sign-in?to=${encodeURIComponent(to)}`)
  }

  const app = express().disable('x-powered-by')
  if (before) app.use(before)
  app.use('/webhooks/messages', webhook(bot)) // before any parser: a signature covers the exact bytes
  app.get('/health', health(bot)) // 200 while it accepts deliveries
  app.get('/', (_request, response) => response.redirect(303, '/desk/'))
  app.use(signIn({ people, sessions }))

  const answering = desk(bot, {
    // Called for each request, and every minute for an open desk: who was removed from the list is signed out.
    async authorize(request: Request) {
      const person = await sessions.personOf(request)
      return person && { name: person.name, write: true, reveal: true }
    },
    colleagues: () => people.map(({ name }) => name),
    language: DESK_LANGUAGE,
    snippets: SNIPPETS,
    signOut: '/sign-out',
  })
  app.use('/desk', first('/desk/'), answering)

  const running = adminPage(bot, {
    async authorize(request: Request) {
      const person = await sessions.personOf(request)
      return person?.role === 'admin' ? { name: person.name, reveal: true } : undefined
    },
    desk: '/desk/',
  })
  app.use('/admin', first('/admin/'), running)
  return app
}
