import { SCHEMA } from './schema.ts'

/**
 * The places of the log of contents come from a sequence: several processes that store at once take them without waiting
 * for each other. Whoever writes alone reads the sequence once, and sets it with the commit.
 */
export const PLACES = `${SCHEMA}.places`

/** The place that is taken next, over the sequence. */
export const NEXT_PLACE = 'last_value + CASE WHEN is_called THEN 1 ELSE 0 END'

/** Brings the sequence behind rows that came in by other ways, such as a copy. */
export const CATCH_UP = `
  SELECT setval('${PLACES}', taken) FROM ${PLACES}, (SELECT max(place) AS taken FROM ${SCHEMA}.contents) AS c
  WHERE taken >= ${NEXT_PLACE}`

/** Places up to this one are taken. A sequence keeps what it was set to, even if the transaction is not committed. */
export function takenUpTo(place: number): string {
  return `SELECT setval('${PLACES}', ${place}); `
}
