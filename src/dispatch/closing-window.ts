import { windowAt } from '../outbox/index.ts'
import type { CompiledHandler } from '../routes/index.ts'
import { ContextOfCustomer, sessionOfAttempt } from './customer-context.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'

/**
 * The handlers that hear of a window which is about to close. Undefined if a new message has moved it meanwhile, or if it
 * has closed: while no process ran, or while the handlers failed.
 */
export async function listeningToWindow(
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<{ routes: readonly CompiledHandler[]; contextFor: (route: string) => ContextOfCustomer } | undefined> {
  const { item } = running
  const { before, lastAt } = JSON.parse(Buffer.from(item.delivery.body).toString('utf8')) as {
    readonly before: number
    readonly lastAt: number
  }
  const hasMoved = item.lastInboundAt !== undefined && item.lastInboundAt > lastAt
  if (hasMoved || windowAt(lastAt, deps.clock.service()).open !== true) return undefined
  const session = await sessionOfAttempt(running, deps)
  return {
    routes: deps.routes.closings.filter(({ beforeMs }) => beforeMs === before),
    contextFor: (route) => new ContextOfCustomer(route, session, running, deps),
  }
}
