import type { SendRow } from '../../stores/port/index.ts'
import { type DatabaseFlags, withReader } from '../support/database.ts'
import type { Io } from '../support/io.ts'
import { age, table } from '../support/output.ts'
import { commandsFor, reasonFor } from '../../inspect/send-states.ts'
import { detailsOf } from '../../inspect/send-view.ts'
import type { Reveal } from '../../inspect/mask.ts'

export async function show(io: Io, id: string, flags: DatabaseFlags & Reveal): Promise<void> {
  await withReader(io, flags, async (reader) => {
    const now = Date.now()
    const send = await reader.findSend({ id })
    if (!send) throw noSuchSend(id)
    const queue = (await reader.closedThrottles(now)).find(({ number }) => number === send.number)
    const shown = detailsOf(send, await reader.statusesOf(send), now, flags)
    const why = reasonFor(send, queue)
    if (flags.json) io.out(JSON.stringify({ ...shown, why }))
    else io.out(linesOf(send, shown, why, now).join('\n'))
  })
}

export function noSuchSend(id: string): Error {
  return new Error(`there is no send ${JSON.stringify(id)}: \`switchhook outbox ls\` shows their ids`)
}

type Shown = ReturnType<typeof detailsOf>

function linesOf(send: SendRow, shown: Shown, why: string, now: number): string[] {
  const rows: [name: string, value: string | undefined][] = [
    ['id', shown.id],
    ['state', shown.state],
    ['why', why],
    ['can be done', commandsFor(shown.id, shown.possible)],
    ['number', shown.number],
    ['customer', shown.customer],
    ['via', shown.via],
    ['key', shown.key],
    ['cause', shown.cause],
    ['slot', shown.slot],
    ['ref', shown.ref],
    ['asked for', `${shown.createdAt} (${age(now - send.createdAt)} ago)`],
    ['goes out at', shown.dueAt],
    ['not after', shown.expiresAt],
    ['attempts', attemptsOf(shown)],
    ['next attempt', shown.nextAt],
    ['settled', shown.settledAt],
    ['message id', shown.messageId],
    ['upstream id', shown.upstreamId],
    ['code', shown.code],
    ['reason', shown.reason],
    ['possibly twice', shown.possiblyTwice ? 'yes' : undefined],
    ['diverged', shown.diverged ? 'yes: a rerun asked for another text, and this one stands' : undefined],
    ['body', JSON.stringify(shown.body)],
    ['one-time code', shown.codeWithheld ? 'its text is kept nowhere' : undefined],
    ['fallback', shown.fallback && JSON.stringify(shown.fallback.body)],
    ['fallback key', shown.fallback?.key],
    ...shown.statuses.map(({ status, at, reason }): [string, string] => [
      'status',
      `${at} ${status}${reason === undefined ? '' : `: ${reason}`}`,
    ]),
  ]
  return table(rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

function attemptsOf({ attempts, firstAttemptAt, attemptingSince }: Shown): string {
  if (firstAttemptAt === undefined) return String(attempts)
  const doubt =
    attemptingSince === undefined || attemptingSince === firstAttemptAt ? '' : `, in doubt since ${attemptingSince}`
  return `${attempts}, the first at ${firstAttemptAt}${doubt}`
}
