import { SwitchhookError } from '../../base/errors.ts'
import { type Resolution, type Resolved, resolutionsOf } from '../../stores/port/index.ts'
import { type DatabaseFlag, working } from '../database.ts'
import { noSuchSend } from './show.ts'
import { commandsFor } from './words.ts'

export interface ResolveFlags extends DatabaseFlag {
  readonly accepted?: boolean
  readonly resend?: boolean
  readonly drop?: boolean
  readonly json?: boolean
}

const RESOLUTIONS: readonly Resolution[] = ['accepted', 'resend', 'drop']

/** `switchhook outbox resolve ID`: a person says what became of a send, or what is to become of it. */
export async function resolve(id: string, flags: ResolveFlags): Promise<void> {
  const as = askedFor(flags)
  const resolved = await working(flags, (store) => store.resolveSend(id, as, Date.now()))
  if (!resolved) throw noSuchSend(id)
  if (!resolved.done) throw notPossible(resolved, as)
  const { send, was } = resolved
  if (flags.json)
    process.stdout.write(
      `${JSON.stringify({ id, was, state: send.state, possiblyTwice: send.possiblyTwice, code: send.code })}\n`,
    )
  else process.stderr.write(`${id} was ${was}; ${doneWords(resolved)}.\n`)
}

function askedFor(flags: ResolveFlags): Resolution {
  const [asked, ...more] = RESOLUTIONS.filter((one) => flags[one])
  if (asked !== undefined && more.length === 0) return asked
  throw new SwitchhookError('options_invalid', 'say one of --accepted, --resend and --drop')
}

function notPossible({ send }: Resolved, as: Resolution): Error {
  const possible = resolutionsOf(send)
  const code =
    as === 'resend' && send.withheld
      ? ', a one-time code, which is kept nowhere and cannot go out again: the app issues a new one'
      : ''
  return new Error(
    `--${as} is not possible: ${send.id} is ${send.state}${code}. Possible: ${commandsFor(send.id, possible)}`,
  )
}

function doneWords({ send }: Resolved): string {
  if (send.state === 'accepted') return 'it counts as accepted'
  if (send.state === 'dropped') return 'it is settled for good and is never sent'
  const marked = send.possiblyTwice ? ', marked as possibly sent twice' : ''
  if (send.state === 'scheduled') return `it goes out at its time${marked}`
  if (send.state === 'held') return `it goes out once the queue of ${send.number} goes on (${send.code})${marked}`
  return `it goes out now, once the app runs${marked}`
}
