import { reasonOf, SwitchhookError } from '../base/errors.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'
import { AttemptOver } from '../outbox/index.ts'

/**
 * Runs an effect of the app's own once per item: its JSON result is stored with the delivery before it is given
 * out, and every rerun gets it back. A crash inside the effect runs it again; after its result is stored, never.
 *
 * @throws AttemptOver where the lane was lost meanwhile: then somebody else decides. SwitchhookError `options_invalid`
 * where the result cannot be kept: another attempt would run the effect again and mend nothing.
 */
export async function once<T>(
  running: RunningAttempt,
  room: AttemptDeps,
  name: string,
  effect: () => T | Promise<T>,
): Promise<T> {
  const known = await room.store.onceResult(running.item.id, name)
  if (known !== undefined) return unpack(known) as T
  running.clock.check()
  const packed = pack(name, await effect())
  running.clock.check()
  const keeping = room.store.keepOnce(running.fence, running.item.id, name, packed)
  // While the disk is full it waits, and is kept later all the same: the handler need not wait beyond its deadline.
  keeping.catch(() => {})
  if (!(await Promise.race([keeping, running.clock.over]))) throw new AttemptOver('its lane was lost')
  // The first run gets what every rerun will get: what JSON makes of it.
  return unpack(packed) as T
}

/** In a list, so that `undefined` has a form too. */
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
