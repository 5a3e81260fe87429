import type { IncomingMessage } from 'node:http'
import type { AnyBot } from '../bot/bot-internals.ts'
import { type AdminOptions, checkOptions, type Person, visitorOf } from './door.ts'
import { answerRoute, routeIn } from './admin-routes.ts'
import { type AdminPage, hostPage } from './page-host.ts'
export type { AdminOptions, Person } from './door.ts'
export type { AdminPage } from './page-host.ts'

/**
 * Makes the admin page of a bot. It shows the bot's work, and lets people fix what waits for a person. Make it once and
 * mount it at its own path, which ends with a slash. The page answers every request below that path.
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
  return hostPage(bot, {
    name: 'admin',
    visitorOf: (original: HostRequest) => visitorOf(o, original),
    routeIn,
    answer: (route, request, visitor, deps) => answerRoute(route, request, visitor, { ...deps, deskAddress: o.desk }),
  })
}
