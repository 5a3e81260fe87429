import { styleText } from 'node:util'
import { readEventData } from '../../base/event-stream.ts'
import type { Happening } from '../../emulator/happening.ts'
import type { Emulator } from '../../emulator/index.ts'
import { isSuccess } from '../support/http.ts'
import type { Io } from '../support/io.ts'
import { deliveryProblem } from '../support/outcome.ts'
import type { Control } from '../support/running-emulator.ts'
import { pageOfDelivery } from './banner.ts'
import { type ActivityLine, createActivityLines, type Tone } from './wire.ts'

/** The forms of output: lines for people, objects for programs, or only the app's own lines. */
export const OUTPUTS = ['pretty', 'json', 'quiet'] as const

export type Output = (typeof OUTPUTS)[number]

const COLOURS: Readonly<Record<Tone, 'cyan' | 'green' | 'red' | 'dim'>> = {
  out: 'cyan',
  in: 'green',
  bad: 'red',
  note: 'dim',
}

/** The parts of the output that depend on the phone in the terminal. */
interface Screen {
  readonly print: (line: string) => void
  readonly pageOfDelivery: (delivery: string) => string
  /** True if deliveries, statuses and calls are shown; false if the conversation alone is. */
  readonly showsWire: () => boolean
  /** True if the conversation on the screen is with this customer, so that it shows the sends to them. */
  readonly showsCustomer: (customer: string) => boolean
  readonly closedWindows: (moved: Extract<Happening, { kind: 'clock' }>) => Promise<readonly ActivityLine[]>
}

/** Returns a function that prints each event of the emulator in the chosen form. */
export function createActivityPrinter(io: Io, output: Output, screen: Screen): (event: Happening) => void {
  if (output === 'json') return (event) => io.out(JSON.stringify(event))
  if (output === 'quiet') return () => undefined
  const toLine = createActivityLines()
  const show = (line: ActivityLine) => screen.print(lineFor(io, line, new Date(), screen))
  return (event) => {
    const line = toLine(event)
    if (line !== undefined && (screen.showsWire() || isOfConversation(event, line, screen))) show(line)
    if (event.kind === 'clock')
      void screen.closedWindows(event).then(
        (lines) => lines.forEach(show),
        () => undefined,
      )
  }
}

/**
 * Tells whether a line belongs beside a conversation: notes, and what failed unless the conversation shows that itself,
 * as it does with a refused send to its customer and with an undelivered message.
 */
function isOfConversation(happened: Happening, { tone }: ActivityLine, screen: Screen): boolean {
  if (tone === 'note') return true
  if (tone !== 'bad' || happened.kind === 'delivery') return false
  if (happened.kind !== 'api' || happened.customer === null) return true
  return !screen.showsCustomer(happened.customer) || happened.code === 'idempotency_in_progress'
}

function lineFor(io: Io, { tone, text, delivery }: ActivityLine, at: Date, { pageOfDelivery }: Screen): string {
  const plain = `${at.toTimeString().slice(0, 8)} ${text}`
  // Coloured on a terminal, or as NO_COLOR and FORCE_COLOR say.
  const coloured = styleText(COLOURS[tone], plain, { stream: io.stderr })
  if (coloured === plain || delivery === undefined) return coloured
  return coloured.replace(delivery, `${linkTo(pageOfDelivery(delivery))}${delivery}${linkTo('')}`)
}

/** Begins a link in a terminal, or ends it if the address is empty. Terminals without links show nothing of this. */
function linkTo(address: string): string {
  return `\u001B]8;;${address}\u0007`
}

/** Follows the emulator's stream until disposed of; rejects if there is none. */
export async function followStream(control: Control, hear: (happened: Happening) => void): Promise<Disposable> {
  const over = new AbortController()
  const answer = await control.stream(over.signal)
  const read = async () => {
    for await (const data of readEventData(answer)) if (data !== undefined) hear(JSON.parse(data) as Happening)
  }
  // The stream ends with the emulator or by disposal.
  void read().catch(() => undefined)
  return { [Symbol.dispose]: () => over.abort() }
}

type FailedDelivery = Awaited<ReturnType<Emulator['deliveries']['list']>>[number]

type Attempt = FailedDelivery['attempts'][number]

/** The longest delay of a timer. */
const FOREVER_MS = 2 ** 31 - 1

/** Reports each delivery whose first attempt failed, once, with a link to its row; its retries are not reported. */
export function reportUndelivered(emulator: Emulator, print: (line: string) => void): Disposable {
  const reported = new Set<string>()
  let over = false
  const listen = async () => {
    while (!over) {
      const delivery = await emulator.deliveries.wait((one) => !reported.has(one.id) && failed(one), FOREVER_MS)
      reported.add(delivery.id)
      if (!over) print(undeliveredText(emulator, delivery))
    }
  }
  // `wait` also rejects when the emulator is reset or closed: then it is called again, or no more.
  const goOn = (): void => void listen().catch(() => (over ? undefined : goOn()))
  goOn()
  return {
    [Symbol.dispose]() {
      over = true
    },
  }
}

function failed({ attempts: [first] }: FailedDelivery): boolean {
  return first !== undefined && !isSuccess(first.status)
}

function undeliveredText(emulator: Emulator, { id, attempts }: FailedDelivery): string {
  const { request, ...outcome } = attempts[0] as Attempt
  const again = outcome.error === 'connection_refused' ? '\n    It comes again as soon as the app listens there.' : ''
  return `  x not delivered: ${deliveryProblem(request.url, outcome)}${again}\n    ${pageOfDelivery(emulator, id)}`
}
