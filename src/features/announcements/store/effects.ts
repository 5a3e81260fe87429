import { all, one } from '../../../store/database/steps.ts'
import { sql } from '../../../store/database/sql.ts'
import type { StoreEffects } from '../../../store/database/store-effects.ts'
import { NEXT_ANNOUNCEMENT, pauseRestored } from './announcement-rows.ts'
import { announcements, recipients } from './announcement-tables.ts'
import { moveRecipient } from './recipient-moves.ts'
import { forgetRecipient, freezeRecipient, pruneAnnouncements } from './recipients.ts'
import { SLOT_WORD } from './slots.ts'

export const effects = {
  tables: { announcements, recipients },
  nextDue: NEXT_ANNOUNCEMENT,
  openWork: "SELECT 1 FROM announcements WHERE state = 'running'",
  restored: pauseRestored,
  forgetCustomer: forgetRecipient,
  beforeSendGoes: freezeRecipient,
  prune: pruneAnnouncements,
  *overview() {
    return yield* one<{ open: number; reached: number }>(sql`
      SELECT count(*) AS open, coalesce(sum(sent + refused + invalid + opted_out + silent + unknown), 0) AS reached FROM ${announcements}
      WHERE ended_at IS NULL`)
  },
  ofCustomer: {
    table: recipients,
    named: (spelling) => sql`SELECT customer FROM ${recipients} WHERE given = ${spelling}`,
    kept: {
      announcements: {
        numbers: (customer) => sql`
      SELECT a.number FROM ${announcements} a JOIN ${recipients} r ON r.announcement = a.id AND r.customer = ${customer}`,
        read: (customer) =>
          all(sql`
        SELECT a.number, a.name AS key, r.state, a.created_at AS at, r.vars FROM ${announcements} a
        JOIN ${recipients} r ON r.announcement = a.id AND r.customer = ${customer} ORDER BY a.id`),
      },
    },
    *mayNotMove() {
      const running = yield* one<{ name: string }>(sql`
        SELECT name FROM ${announcements} WHERE state IN ('storing', 'running') ORDER BY id LIMIT 1`)
      return (
        running && `the announcement ${running.name} is running: pause it first, with \`switchhook announcement pause\``
      )
    },
    slotWord: SLOT_WORD,
    moves: {
      recipients: {
        keys: ['announcement', 'customer'],
        rows: sql`(SELECT r.*, number, name FROM ${recipients} r JOIN ${announcements} a ON a.id = announcement)`,
        move: moveRecipient,
      },
    },
  },
} as const satisfies StoreEffects
