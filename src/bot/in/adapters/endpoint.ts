import { optionsInvalid } from '../../../base/errors.ts'
import { isRecord, type MaybeAsync } from '../../../base/value.ts'
import type { BotInternals } from '../bot-internals.ts'
import type { Incoming } from '../http.ts'

export interface EndpointOptions<Request> {
  /**
   * Makes this the endpoint of one number, by its name in `createBot({ numbers })`, for example `(request) =>
   * request.params.number`. A delivery is checked only with that number's secrets. An unknown name, or `undefined`,
   * gets a 401 like a wrong signature. If the function throws, the answer is 503, and the service delivers again.
   * Needed if the option `numbers` is a source.
   */
  number?: (request: Request) => MaybeAsync<string | undefined>
}

/**
 * Checks the options of a `webhook`, and returns the member that it passes on.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function endpointOf<Request>(
  o: EndpointOptions<Request>,
  { needsNumber }: Pick<BotInternals, 'needsNumber'>,
): (request: Request) => Pick<Incoming, 'number'> {
  const [unknown] = isRecord(o) ? Object.keys(o).filter((name) => name !== 'number') : ['options']
  if (unknown !== undefined)
    throw optionsInvalid(`${unknown}: this option of webhook() does not exist; its option is number`)
  const { number } = o
  if (number === undefined && needsNumber)
    throw optionsInvalid(
      'number: the numbers of this bot come from a source, so each needs its own endpoint: webhook(bot, { number: (request) => request.params.number })',
    )
  if (number === undefined) return () => NOTHING
  if (typeof number !== 'function')
    throw optionsInvalid('number: webhook() expects a function that returns the name of the number of a request')
  return (request) => ({ number: async () => number(request) })
}

const NOTHING = {}
