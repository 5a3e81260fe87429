import { packResult, unpackResult } from '../base/kept-result.ts'
import { AttemptOver } from '../outbox/index.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'

/**
 * Runs an effect of the app's own once per item. Its JSON result is stored with the delivery before it is returned, and
 * every rerun gets it back. A crash inside the effect runs it again; once its result is stored it never runs again.
 *
 * @throws AttemptOver if the lane was lost meanwhile: then another attempt decides. SwitchhookError `options_invalid`
 * if the result cannot be kept: another attempt would run the effect again and mend nothing.
 */
export async function once<T>(
  { item, fence, clock }: Pick<RunningAttempt, 'item' | 'fence' | 'clock'>,
  { store }: Pick<AttemptDeps, 'store'>,
  name: string,
  run: () => T | Promise<T>,
): Promise<T> {
  const known = await store.onceResult(item.id, name)
  if (known !== undefined) return unpackResult(known) as T
  clock.check()
  const packed = packResult(name, await run())
  clock.check()
  // While the disk is full this waits, and is kept later all the same; the handler need not wait beyond its deadline.
  if (!(await clock.race(store.keepOnce(fence, item.id, name, packed)))) throw new AttemptOver('its lane was lost')
  // The first run, too, gets the result as JSON makes it.
  return unpackResult(packed) as T
}
