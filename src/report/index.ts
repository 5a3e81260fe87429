import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { DispatchReport } from '../dispatch/index.ts'
import type { ReceiveReport } from '../receive/receive.ts'
import type { SendReport } from '../outbox/index.ts'
import { reportDeliveries } from './deliveries.ts'
import type { Observers } from './observers.ts'
import { createLogThrottle } from './log-throttle.ts'
import { reportReceiving } from './receiving.ts'
import { reportSends } from './sends.ts'

export interface Reports {
  readonly receiving: ReceiveReport
  readonly deliveries: DispatchReport
  readonly sends: SendReport
}

/** The one place that says what happens, to the log and to the app's hooks. No phone number and no text above debug. */
export function createReports(log: Log, clock: Clock, observers: Observers): Reports {
  const quiet = createLogThrottle(log, clock)
  return {
    receiving: reportReceiving(log, quiet, observers),
    deliveries: reportDeliveries(log, quiet, observers),
    sends: reportSends(log, observers),
  }
}

export { tellOfAgent, tellOfDeclaredEvents, tellOfRestored } from './at-start.ts'
export { createObservers, type Hooks, type Observed, type Observers } from './observers.ts'
