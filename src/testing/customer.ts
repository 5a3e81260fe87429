import type { CustomerMedia } from '../emulator/emulator.ts'
import type { InProcessEmulator } from '../emulator/in-process.ts'
import { idOf } from './option.ts'
import type { Sending } from './sendings.ts'
import { isReply, type Shown, shownOf } from './shown.ts'
import { type Turn, turnOf } from './turn.ts'

/**
 * A person with a phone. Each call is a turn: it resolves when all that it caused has settled, and rejects with
 * `TurnFailed` where a delivery died or was parked.
 */
export interface Customer {
  /** Writes; several texts are written at once. */
  says(...texts: string[]): Promise<Turn>
  /** Taps a button, row or quick reply that the phone shows, by its id or by its title. */
  taps(option: string): Promise<Turn>
  sends(kind: CustomerMedia['kind'], o?: Partial<Omit<CustomerMedia, 'kind'>>): Promise<Turn>
  /** All that the phone shows now, the oldest first, and the refused sends beside it. */
  readonly thread: Shown[]
  /** The newest message that came to the phone; undefined where none did. */
  readonly last: Shown | undefined
  /** The one-time codes that the handset shows, the oldest first: everywhere else they are withheld. */
  readonly codes: string[]
}

const SOME_MEDIA = 'https://media.example/file'

export function createCustomer(
  emulator: InProcessEmulator,
  digits: string,
  act: (act: () => Promise<unknown>) => Promise<readonly Sending[]>,
): Customer {
  const phone = emulator.customer(digits)
  const thread = () => emulator.thread(digits).map(shownOf)

  async function turn(run: () => Promise<unknown>): Promise<Turn> {
    const sendings = await act(run)
    return turnOf(sendings, ({ line, to }) => line.emulator === emulator && to === digits)
  }

  return {
    says: (...texts) => turn(() => Promise.all(texts.map((text) => phone.says(text)))),
    taps: (option) => turn(() => phone.taps(idOf(option, emulator.choices(digits)))),
    sends: (kind, o) => turn(() => phone.sendsMedia({ url: SOME_MEDIA, ...o, kind })),
    get thread() {
      return thread()
    },
    get last() {
      return thread().findLast(isReply)
    },
    get codes() {
      return emulator.codes(digits)
    },
  }
}
