import { realTimers } from '../../base/clock.ts'
import { type InboxReader, readInbox } from '../../stores/sqlite/read-inbox.ts'
import { type DatabaseFlag, looking } from '../database.ts'
import { listenForSignals } from '../signals.ts'
import { iso, plain } from '../table.ts'
import { createFollower, type Happening } from './follow.ts'
import type { Reveal } from './shown.ts'

export interface TailFlags extends DatabaseFlag, Reveal {
  readonly json?: boolean
}

const LOOK_EVERY_MS = 200

/** `switchhook inbox tail`: what comes and what becomes of it, until it is told to stop; the answer is the exit code. */
export async function tail(flags: TailFlags): Promise<number> {
  using signals = listenForSignals()
  let code: number | undefined
  const stopped = signals.stopped.then((told) => {
    code = told
  })
  await looking(readInbox, flags, async (reader) => {
    const follower = await createFollower(reader)
    process.stderr.write('Following the inbox; Ctrl-C ends it.\n')
    let seen: number | undefined
    while (code === undefined) {
      const version = reader.version()
      if (version !== seen) await tell(reader, follower, flags)
      seen = version
      await Promise.race([stopped, passed(LOOK_EVERY_MS)])
    }
  })
  return code ?? 0
}

async function tell(reader: InboxReader, follower: Awaited<ReturnType<typeof createFollower>>, flags: TailFlags) {
  for (const happening of await follower.look(reader, flags)) {
    const line = { at: iso(Date.now()), ...happening }
    process.stdout.write(`${flags.json ? JSON.stringify(line) : wordsFor(line)}\n`)
  }
}

function wordsFor({ at = '', ...happening }: Happening & { at: string | undefined }): string {
  const { seq, event = '-', what, customer, attempts, retryAt, reason, note } = happening
  const about = [
    customer,
    attempts !== undefined && attempts > 0 ? `attempt ${attempts}` : undefined,
    retryAt && `again at ${retryAt}`,
    note,
    reason,
  ].filter((one) => one !== undefined)
  const named = happening.idx === undefined || happening.idx === 0 ? `${seq}` : `${seq}.${happening.idx}`
  return plain(`${at.slice(11)}  ${named}  ${event}  ${what}${about.length > 0 ? `  ${about.join('  ')}` : ''}`)
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => void realTimers.after(ms, resolve))
}
