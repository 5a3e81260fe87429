import { optionsInvalid, reasonOf } from './errors.ts'

/**
 * The JSON under which the result of an effect is kept: in a list, so that `undefined` has a form too.
 *
 * @throws SwitchhookError `options_invalid` if the result has no JSON form: running the effect again would mend nothing.
 */
export function packResult(name: string, result: unknown): string {
  try {
    return JSON.stringify(result === undefined ? [] : [result])
  } catch (error) {
    throw optionsInvalid(
      `once(): what "${name}" gave cannot be kept as JSON; let it give what is needed alone, such as an id. It has run, and does not run again by itself: ${reasonOf(error)}`,
      { cause: error },
    )
  }
}

export function unpackResult(packed: string): unknown {
  return (JSON.parse(packed) as unknown[])[0]
}
