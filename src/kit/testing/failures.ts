import { knownToAllBuilds } from '../../base/shared.ts'
import { isA, readError, SwitchhookError } from '../../base/errors.ts'
import type { Hooks, Observed } from '../../bot/report/observers.ts'
import type { Service } from './test-service.ts'

/**
 * A turn failed: a delivery died, was parked, could not be read or was not accepted. `cause` is the handler's own
 * error, if there is one. `code` is `turn_failed`.
 */
export class TurnFailed extends SwitchhookError {
  constructor(failures: readonly Failure[]) {
    const [first] = failures
    const lines = failures.map(({ message }) => message)
    const message = lines.length === 1 ? `${lines[0]}` : `${lines.length} deliveries failed:\n- ${lines.join('\n- ')}`
    super('turn_failed', message, first?.error === undefined ? undefined : { cause: first.error })
    this.name = 'TurnFailed'
  }
}
knownToAllBuilds(TurnFailed)

export interface Failure {
  readonly message: string
  readonly error: unknown
}

export function createFailures(service: () => Service): { readonly hooks: Hooks; check(): void } {
  let failures: Failure[] = []
  const reported = new Set<string>()
  const note = (problem: string) => (about: Observed) => {
    const { error, reason = 'no reason given', route } = about
    const text = reasonFor(error, reason)
    const next = problem === 'is parked' ? adviceFor(text, about.event) : ''
    // A message about a hidden number must not name the number. `nameOf` finds it by `deliveryId`, so leave that out.
    const { deliveryId: _, ...unnamed } = about
    const where = route === undefined ? '' : ` (${route})`
    failures.push({
      message: `${nameOf(text === HIDDEN ? unnamed : about, service())} ${problem}${where}: ${text}${next}`,
      error,
    })
  }

  return {
    hooks: {
      dead: note('is a dead letter, because its handler failed for good'),
      parked: note('is parked'),
      quarantined: note('cannot be read'),
      alarm(about) {
        if (about.reason === 'suspected_replay')
          failures.push({ message: sameBytes(about, service()), error: undefined })
      },
    },
    /** @throws TurnFailed if anything failed since the last check. */
    check() {
      for (const { emulator } of service().numbers)
        for (const { id, event, last = 'no attempt' } of emulator.undelivered()) {
          if (reported.has(id)) continue
          reported.add(id)
          failures.push({ message: `the bot did not accept ${event}: ${last}`, error: undefined })
        }
      const found = failures
      failures = []
      if (found.length > 0) throw new TurnFailed(found)
    },
  }
}

const HIDDEN = 'customer_number_hidden'

function adviceFor(reason: string, event = 'message.received'): string {
  if (reason.includes('certain who wrote')) return ". Map the customer by the option facts, or set replies: 'guessed'"
  if (reason === HIDDEN)
    return '. The payload names a user id in place of a phone number, so no reply can reach this customer. If the number is elsewhere in it, map customer by the option facts'
  if (reason.includes('number_')) return '. Set the option phoneNumberId, or map the fact numberId by the option facts'
  const [, fact] = /fact_missing: (\w+)/.exec(reason) ?? []
  if (fact === undefined) return ''
  return `. Map ${fact} by the option facts: createBot({ facts: { '${event}': { ${fact}: 'path.in.the.payload' } } })`
}

function sameBytes(about: Observed, service: Service): string {
  return `${nameOf(about, service)} was treated as a replay and not handled: the same bytes arrived before in the same second. Change the payload, for instance its id, or let a second pass: advance('1s')`
}

const MESSAGE_EVENT = /^message\./

function nameOf({ event = 'a delivery', deliveryId, number }: Observed, { numbers }: Service): string {
  const customers = numbers.map(({ emulator }) =>
    deliveryId === undefined ? undefined : emulator.customerOf(deliveryId),
  )
  const customer = MESSAGE_EVENT.test(event) ? customers.find((one) => one !== undefined) : undefined
  const suffix = numbers.length > 1 && number !== undefined ? ` (number ${number})` : ''
  return `${event}${customer === undefined ? '' : ` of ${customer}`}${suffix}`
}

function reasonFor(error: unknown, reason: string): string {
  if (error === undefined) return reason
  const { name, message } = readError(error)
  return isA(error, Error) ? `${name}: ${message}` : message
}
