import type { Log } from '../base/log.ts'
import type { Restored } from '../stores/port/index.ts'

const HOW: Readonly<Record<Restored['why'], string>> = {
  asked: 'it was started as brought back from a backup',
  noticed: 'it is older than the generation kept beside it, so it was brought back from a backup',
  earlier: 'it was brought back from a backup, and its sends were not let go since',
}

/** Said at each start until the sends are let go: what is held, why, and what to do. */
export function tellOfRestored(restored: Restored | undefined, log: Log): void {
  if (!restored) return
  log.warn(
    { held: restored.held, why: HOW[restored.why] },
    'sends of this database are held, since they may have gone out after the backup was taken: compare them with what was sent, then let them go with `switchhook outbox resume`',
  )
}
