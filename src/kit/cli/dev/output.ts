import { styleText } from 'node:util'
import { readEventData } from '../../../emulator/http/event-stream.ts'
import { FAILURES_UNTIL_DISABLED } from '../../../service/delivery.ts'
import type { Happening } from '../../../emulator/happening.ts'
import type { Emulator } from '../../../emulator/emulator.ts'
import { deliveryProblem, isSuccess } from '../support/posted-deliveries.ts'
import type { Control } from '../support/running-emulator.ts'
import { escaped, type Io } from '../support/io.ts'
import { FIRST_HELP } from './terminal.ts'

export async function followStream(control: Control, onEvent: (happened: Happening) => void): Promise<Disposable> {
  const over = new AbortController()
  const answer = await control.stream(over.signal)
  const read = async () => {
    for await (const data of readEventData(answer)) if (data !== undefined) onEvent(JSON.parse(data) as Happening)
  }
  // The stream ends with the emulator or by disposal.
  void read().catch(() => undefined)
  return { [Symbol.dispose]: () => over.abort() }
}

interface Screen {
  readonly print: (line: string) => void
  readonly showsCustomer: (customer: string) => boolean
}

/** Reports what is not seen on a phone: refused calls, undelivered events, a moved clock, a disabled endpoint. */
export function createReports(io: Io, emulator: Emulator, { print, showsCustomer }: Screen) {
  const reported = new Set<string>()
  const note = (colour: 'red' | 'dim', text: string) =>
    print(styleText(colour, `  ${escaped(text)}`, { stream: io.stderr }))

  /** Each delivery is reported once, with a link to its row on the page; its retries are not. */
  async function reportDelivery(id: string): Promise<void> {
    reported.add(id)
    const delivery = (await emulator.deliveries.list()).find((one) => one.id === id)
    const [first] = delivery?.attempts ?? []
    if (first === undefined) return
    const { request, ...outcome } = first
    const again =
      outcome.error === 'connection_refused' ? '\n    It is delivered again once the app listens there.' : ''
    print(`  x not delivered: ${deliveryProblem(request.url, outcome)}${again}\n    ${pageOf(emulator)}&delivery=${id}`)
  }

  return (event: Happening): void => {
    if (event.kind === 'delivery') {
      const { id, attempts, last } = event.delivery
      if (attempts !== 1 || last === undefined || isSuccess(last.status) || reported.has(id)) return
      // The emulator may have been reset or closed meanwhile.
      reportDelivery(id).catch(() => undefined)
    } else if (event.kind === 'api') {
      const { method, path, status, code, customer } = event
      const isOnScreen = customer !== null && showsCustomer(customer) && code !== 'idempotency_in_progress'
      if (status >= 400 && !isOnScreen) note('red', `x ${status}${code === null ? '' : ` ${code}`}  ${method} ${path}`)
    } else if (event.kind === 'clock') note('dim', `The clock shows ${event.clock.now}.`)
    else if (event.kind === 'subscription' && event.subscription.state === 'disabled')
      note('red', `x ${event.subscription.url} is disabled: ${FAILURES_UNTIL_DISABLED} deliveries in a row failed`)
  }
}

interface BannerOptions {
  readonly webhook: string
  readonly customer: string
  readonly numbers: readonly string[]
}

export function firstLines(emulator: Emulator): string {
  return `${FIRST_HELP}\n  Or use the page: ${pageOf(emulator)}\n`
}

export function banner(emulator: Emulator, { webhook, customer, numbers }: BannerOptions): string {
  const at = `${emulator.url}/_emulator/customers/${customer}`
  const token = `-H 'Authorization: Bearer ${emulator.controlToken}'`
  return [
    ...addresses(emulator, webhook, numbers),
    'Write as a customer, and see what arrived:',
    `  curl -X POST ${at}/messages ${token} -H 'Content-Type: application/json' -d '{"text":"hours"}'`,
    `  curl ${at}/thread ${token}`,
    '',
  ].join('\n')
}

export function addresses(emulator: Emulator, webhook: string, numbers: readonly string[]): string[] {
  return [
    `The emulator runs at ${emulator.url}; no send leaves this machine.`,
    `Its page is ${pageOf(emulator)}`,
    `Deliveries go to ${webhook}. ${numbers.length > 1 ? 'The phone number ids are' : 'The phone number id is'} ${numbers.join(', ')}.`,
  ]
}

/** The page's address. The token is in the fragment, which a browser sends nowhere. */
function pageOf({ url, controlToken }: Pick<Emulator, 'url' | 'controlToken'>): string {
  return `${url}/#token=${encodeURIComponent(controlToken)}`
}
