import { existsSync, readFileSync } from 'node:fs'
import { reasonOf } from '../../base/errors.ts'
import { LOCK_FILE, parseLock } from '../../payload/index.ts'
import { bad, doubt, type Finding, note, ok, type Setup, valueOf } from './variables.ts'

const NAME = 'SWITCHHOOK_PAYLOAD_LOCK'
const MEND = 'see `switchhook payload report`, then write a lock: `switchhook payload lock`'

/** Tells whether the places of payload facts are locked, and not guessed. */
export function payloadLock(setup: Setup): Finding {
  const id = 'payload-lock'
  const named = valueOf(setup, NAME)?.trim()
  const file = named ?? LOCK_FILE
  if (named === undefined && !existsSync(file)) {
    const says = `there is no ${LOCK_FILE} in this folder: what the app does not map is guessed`
    return setup.prod ? doubt(id, says, MEND) : note(id, says)
  }
  try {
    const events = parseLock(readFileSync(file, 'utf8'), file).events
    if (events['message.received']?.facts.customer)
      return ok(id, `${file} locks ${Object.keys(events).join(', ')}, and who wrote a message`)
    return doubt(
      id,
      `${file} does not lock message.received.customer, so who wrote a message is mapped or guessed`,
      MEND,
    )
  } catch (error) {
    return bad(id, reasonOf(error), 'the app does not start')
  }
}
