import { SwitchhookError } from '../base/errors.ts'
import type { CustomerMedia } from '../emulator/emulator.ts'
import type { InProcessEmulator } from '../emulator/in-process.ts'
import { isReply, type Shown, shownOf } from './shown.ts'

/** What came of something that a customer did. */
export interface Turn {
  /** What arrived on the phone meanwhile, the oldest first. */
  readonly replies: Shown[]
  /** Their texts, a line each. */
  readonly text: string
}

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
  act: (act: () => Promise<unknown>) => Promise<void>,
): Customer {
  const phone = emulator.customer(digits)
  const thread = () => emulator.thread(digits).map(shownOf)

  async function turn(run: () => Promise<unknown>): Promise<Turn> {
    const before = emulator.thread(digits).length
    await act(run)
    const replies = thread().slice(before).filter(isReply)
    return { replies, text: replies.map(({ text }) => text).join('\n') }
  }

  return {
    says: (...texts) => turn(() => Promise.all(texts.map((text) => phone.says(text)))),
    taps: (option) => turn(() => phone.taps(idOf(option, emulator, digits))),
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

/** Sealed ids are not to be known by heart: a title will do. */
function idOf(option: string, emulator: InProcessEmulator, digits: string): string {
  const choices = emulator.choices(digits)
  const found = choices.find(({ id }) => id === option) ?? choices.find(({ title }) => title === option)
  if (found) return found.id
  const there = choices.map(({ title }) => `"${title}"`).join(', ') || 'nothing'
  throw new SwitchhookError('options_invalid', `the phone shows no option "${option}"; to tap there is: ${there}`)
}
