import type { Log } from '../base/log.ts'
import type { Acted } from '../receive/desk.ts'
import type { Observers } from './observers.ts'

export function reportActs(log: Log, observers: Observers): (acted: Acted) => void {
  return ({ who, act, what, count }) => {
    log.info({ who, act, what, count }, 'a person acted by the admin page')
    observers.notify('acted', { who, act, reason: what, count })
  }
}
