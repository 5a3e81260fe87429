import { SwitchhookError } from '../../base/errors.ts'
import type { CustomerOfNumber } from '../../store/types/types.ts'
import { openSession, type SessionRules } from './session.ts'

/** Changes a session in place, or gives another one in its place. */
// oxlint-disable-next-line typescript/no-explicit-any -- the app's own session
export type SessionChange = (session: any) => unknown

/** A change that asks for another change of the same session would run forever. */
const MOST_TRIES = 1_000

/** See `SenderReach.updateSession`. The change runs again if somebody wrote the session meanwhile. */
export async function updateSession(
  who: CustomerOfNumber,
  change: SessionChange,
  { session: rules, ...deps }: Parameters<typeof openSession>[2] & { readonly session: SessionRules | undefined },
): Promise<unknown> {
  if (!rules)
    throw new SwitchhookError(
      'options_invalid',
      'updateSession(): this bot has no sessions, give it the option session',
    )
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const session = await openSession(rules, who, deps)
    const given: unknown = await change(session.value)
    if (given !== undefined) session.value = given
    await session.hasChanged()
    const write = session.changes(deps.clock.service())
    if (!write || (await deps.store.putSession(who, write))) return session.value
  }
  throw new SwitchhookError(
    'options_invalid',
    `updateSession(): the session was changed during each of ${MOST_TRIES} tries: do not call updateSession() in a change of the same session`,
  )
}
