import { optionsInvalid } from '../../base/errors.ts'
import type { Resolution, Resolved, Resumed } from '../../stores/port/index.ts'
import { resolutionsOf } from '../../stores/rules/send-settlement.ts'
import { type DatabaseFlags, withStore } from '../support/database.ts'
import type { Io } from '../support/io.ts'
import { noSuchSend } from './show.ts'
import { commandsFor } from '../../inspect/send-states.ts'

interface ResolveFlags extends DatabaseFlags {
  readonly accepted?: boolean
  readonly resend?: boolean
  readonly drop?: boolean
}

const RESOLUTIONS: readonly Resolution[] = ['accepted', 'resend', 'drop']

/** Records a person's decision about a send: it arrived, it is sent again, or it is dropped. */
export async function resolve(io: Io, id: string, flags: ResolveFlags): Promise<void> {
  const as = askedFor(flags)
  const resolved = await withStore(io, flags, (store) => store.resolveSend(id, as, store.clock()))
  if (!resolved) throw noSuchSend(id)
  if (!resolved.done) throw notPossibleError(resolved, as)
  const { send, was } = resolved
  if (flags.json)
    io.out(JSON.stringify({ id, was, state: send.state, possiblyTwice: send.possiblyTwice, code: send.code }))
  else io.err(`${id} was ${was}; ${resolvedText(resolved)}.`)
}

function askedFor(flags: ResolveFlags): Resolution {
  const [asked, ...more] = RESOLUTIONS.filter((one) => flags[one])
  if (asked !== undefined && more.length === 0) return asked
  throw optionsInvalid('say one of --accepted, --resend and --drop')
}

function notPossibleError({ send }: Resolved, as: Resolution): Error {
  const possible = resolutionsOf(send)
  const code =
    as === 'resend' && send.withheld
      ? ', a one-time code, which is kept nowhere and cannot go out again: the app issues a new one'
      : ''
  return new Error(
    `--${as} is not possible: ${send.id} is ${send.state}${code}. Possible: ${commandsFor(send.id, possible)}`,
  )
}

function resolvedText({ send }: Resolved): string {
  if (send.state === 'accepted') return 'it counts as accepted'
  if (send.state === 'dropped') return 'it is settled for good and is never sent'
  const marked = send.possiblyTwice ? ', marked as possibly sent twice' : ''
  if (send.state === 'scheduled') return `it goes out at its time${marked}`
  if (send.state === 'held') return `it goes out once the queue of ${send.number} goes on (${send.code})${marked}`
  return `it goes out now, once the app runs${marked}`
}

/** Resumes held sends and closed queues at once. */
export async function resume(io: Io, number: string | undefined, flags: DatabaseFlags): Promise<void> {
  const resumed = await withStore(io, flags, (store) =>
    store.resumeSends({ restored: true, now: store.clock(), ...(number !== undefined && { number }) }),
  )
  const { throttles: queues, held, restored } = resumed
  if (flags.json) io.out(JSON.stringify({ queues, held, restored }))
  else io.err(resumedText(resumed, number))
}

/** Holds what is to go out, as `start({ restored: true })` does. */
export async function hold(io: Io, flags: DatabaseFlags): Promise<void> {
  const held = await withStore(io, flags, async ({ restored }) => restored?.held ?? 0, { restored: true })
  if (flags.json) return io.out(JSON.stringify({ held }))
  const what = held === 1 ? '1 send is held' : `${held} sends are held`
  io.err(
    `${what}, and what a handler of an earlier delivery sends again will be. To let them go: switchhook outbox resume`,
  )
}

function resumedText({ throttles, held, restored }: Resumed, number: string | undefined): string {
  const lines: string[] = []
  if (restored > 0)
    lines.push(
      `${restored === 1 ? '1 send of the restored database goes' : `${restored} sends of the restored database go`} out now, marked as possibly sent twice.`,
    )
  if (throttles.length > 0) lines.push(`Tried at once, with one send each: the queue of ${throttles.join(', ')}.`)
  if (held > 0) lines.push(`${held === 1 ? '1 held send goes' : `${held} held sends go`} out where that passes.`)
  if (lines.length === 0) return `Nothing was held${number === undefined ? '' : ` for ${number}`}.`
  return [...lines, 'The app does it within a second, or when it starts.'].join('\n')
}
