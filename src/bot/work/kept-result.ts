import { optionsInvalid, reasonOf } from '../../base/errors.ts'

/**
 * The JSON of an effect's result: in a list, so that `undefined` has a form too.
 *
 * @throws SwitchhookError `options_invalid` if the result has no JSON form, because running the effect again would not
 * help.
 */
export function packResult(name: string, result: unknown): string {
  try {
    return JSON.stringify(result === undefined ? [] : [result])
  } catch (error) {
    throw optionsInvalid(
      `once(): the result of "${name}" cannot be stored as JSON: ${reasonOf(error)}. Return only what you need, such as an id. The function has run and is not repeated automatically`,
      { cause: error },
    )
  }
}

export function unpackResult(packed: string): unknown {
  return (JSON.parse(packed) as unknown[])[0]
}
