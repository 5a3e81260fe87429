import { reasonOf, SwitchhookError } from '../base/errors.ts'
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
  if (known !== undefined) return unpack(known) as T
  clock.check()
  const packed = pack(name, await run())
  clock.check()
  // While the disk is full this waits, and is kept later all the same; the handler need not wait beyond its deadline.
  if (!(await clock.race(store.keepOnce(fence, item.id, name, packed)))) throw new AttemptOver('its lane was lost')
  // The first run, too, gets the result as JSON makes it.
  return unpack(packed) as T
}

/** In a list, so that `undefined` has a JSON form too. */
function pack(name: string, result: unknown): string {
  try {
    return JSON.stringify(result === undefined ? [] : [result])
  } catch (error) {
    throw new SwitchhookError(
      'options_invalid',
      `once(): what "${name}" gave cannot be kept as JSON; let it give what is needed alone, such as an id. It has run, and does not run again by itself: ${reasonOf(error)}`,
      { cause: error },
    )
  }
}

function unpack(packed: string): unknown {
  return (JSON.parse(packed) as unknown[])[0]
}
