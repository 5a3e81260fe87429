import { styleText } from 'node:util'
import { readEventData } from '../../../emulator/http/event-stream.ts'
import { FAILURES_UNTIL_DISABLED } from '../../../service/delivery.ts'
import type { Happening } from '../../../emulator/timeline.ts'
import type { Emulator } from '../../../emulator/emulator.ts'
import { deliveryProblem, isSuccess } from '../support/posted-deliveries.ts'
import type { Control } from '../support/running-emulator.ts'
import { escaped, type Io } from '../support/io.ts'

export async function followStream(control: Control, onEvent: (happened: Happening) => void): Promise<Disposable> {
  const over = new AbortController()
  const answer = await control.stream(over.signal)
  const read = async () => {
    for await (const data of readEventData(answer)) if (data !== undefined) onEvent(JSON.parse(data) as Happening)
  }
  // It rejects when the emulator ends.
  void read().catch(() => undefined)
  return { [Symbol.dispose]: () => over.abort() }
}

/** Prints refused calls, failed deliveries, a moved clock and a disabled endpoint. The page shows everything. */
export function createReports(io: Io, emulator: Emulator) {
  const reported = new Set<string>()
  const note = (colour: 'red' | 'dim', text: string) =>
    io.err(styleText(colour, `  ${escaped(text)}`, { stream: io.stderr }))

  /** Prints a delivery once, whatever becomes of its retries. */
  async function reportDelivery(id: string): Promise<void> {
    reported.add(id)
    const delivery = (await emulator.deliveries.list()).find((one) => one.id === id)
    const [first] = delivery?.attempts ?? []
    if (first === undefined) return
    const { request, ...outcome } = first
    io.err(`  x not delivered: ${deliveryProblem(request.url, outcome)}\n    ${pageOf(emulator)}&delivery=${id}`)
  }

  return (event: Happening): void => {
    if (event.kind === 'delivery') {
      const { id, attempts, last } = event.delivery
      if (attempts !== 1 || last === undefined || isSuccess(last.status) || reported.has(id)) return
      // It rejects if the emulator was reset or closed meanwhile.
      reportDelivery(id).catch(() => undefined)
    } else if (event.kind === 'api') {
      const { method, path, status, code } = event
      if (status >= 400) note('red', `x ${status}${code === null ? '' : ` ${code}`}  ${method} ${path}`)
    } else if (event.kind === 'clock') note('dim', `The clock shows ${event.clock.now}.`)
    else if (event.kind === 'subscription' && event.subscription.state === 'disabled')
      note('red', `x ${event.subscription.url} is disabled: ${FAILURES_UNTIL_DISABLED} deliveries in a row failed`)
  }
}

export function banner(emulator: Emulator, webhook: string): string {
  return [
    `The emulator runs at ${emulator.url}; no send leaves this machine.`,
    `Deliveries go to ${webhook}. The phone number id is ${emulator.phoneNumberId}.`,
    `Write as a customer on its page: ${pageOf(emulator)}`,
    '',
  ].join('\n')
}

/** The page's address. The token is in the fragment, which a browser sends nowhere. */
function pageOf({ url, controlToken }: Pick<Emulator, 'url' | 'controlToken'>): string {
  return `${url}/#token=${encodeURIComponent(controlToken)}`
}
