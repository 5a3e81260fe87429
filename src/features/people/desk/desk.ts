import type { IncomingMessage } from 'node:http'
import { monotonic } from '../../../base/clock.ts'
import { type AnyBot, internalsOf } from '../../../bot/bot-internals.ts'
import { visitorOf } from '../../../admin/door.ts'
import { type AdminPage, hostPage } from '../../../admin/page-host.ts'
import { type DeskOptions, settingsOf } from './desk-options.ts'
import { answerDesk, deskRouteIn } from './desk-routes.ts'
import { Live } from './live.ts'
import { createPresence } from './presence.ts'
import { createVisits } from './visits.ts'

export type { AdminPage } from '../../../admin/page-host.ts'
export type { DeskOptions, DeskPerson, Snippet } from './desk-options.ts'

/**
 * Makes the desk of a bot: the page for people who answer customers. It shows the customers who wait for a person, and
 * all chats. Make it once and mount it at its own path, which ends with a slash.
 *
 * ```ts
 * const authorize = ({ user }) => user && { name: user.name, write: true, reveal: true }
 * app.use('/desk', desk(bot, { authorize }))
 * ```
 *
 * @throws SwitchhookError `options_invalid`
 */
export function desk<HostRequest = IncomingMessage>(bot: AnyBot, o: DeskOptions<HostRequest>): AdminPage {
  const settings = settingsOf(o)
  const now = () => internalsOf(bot).desk()?.clock.monotonic() ?? monotonic()
  const presence = createPresence(now)
  const visits = createVisits(now)
  const live = new Live({
    presence,
    visits,
    failed: (err) =>
      internalsOf(bot).desk()?.logThrottled('error', 'desk page', 'the desk could not look for changes', { err }),
  })
  return hostPage(bot, {
    name: 'desk',
    attributes: { lang: settings.language, 'data-texts': JSON.stringify(settings.texts) },
    visitorOf: (original: HostRequest) => visitorOf({ authorize: o.authorize }, original),
    routeIn: deskRouteIn,
    answer: (route, request, visitor, deps, again) =>
      answerDesk(route, { request, visitor, deps, again, settings, presence, visits, live }),
  })
}
