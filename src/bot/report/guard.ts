import { isRecord } from '../../base/value.ts'

/** Runs what only watches the bot, such as a report, a hook or a watcher. If it throws, that is logged, and nothing else changes. */
export type Guard = <T>(run: () => T) => T | undefined

/** Wraps the functions of `watcher`, and of its members, in a guard. */
export function guarded<Watcher>(watcher: Watcher, guard: Guard): Watcher {
  if (typeof watcher === 'function')
    return ((...given: unknown[]) => guard(() => watcher(...given) as unknown)) as Watcher
  if (!isRecord(watcher)) return watcher
  return Object.fromEntries(Object.entries(watcher).map(([name, one]) => [name, guarded(one, guard)])) as Watcher
}
