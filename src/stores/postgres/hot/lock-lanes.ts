import type { Fence, LaneKind } from '../../port/index.ts'
import type { HotTx } from '../transaction.ts'

export interface LockedLane {
  readonly key: string
  readonly kind: LaneKind
  readonly owner: string | null
  readonly token: number | null
}

/**
 * Locks lanes in the order of their keys, those that are there, with the lanes of the customers to whom sends go. It is a
 * statement of its own: the ones behind it see all that was put into these lanes, since whoever puts something into a lane
 * locks it too. A lane that is missing may be made by another meanwhile, and then its insert fails.
 */
export async function lockLanes(
  tx: HotTx,
  keys: readonly string[],
  sends: readonly string[] = [],
): Promise<ReadonlyMap<string, LockedLane>> {
  const rows = await tx.rows<LockedLane>(LOCK, [[...keys], [...sends]])
  return new Map(rows.map((lane) => [lane.key, lane]))
}

const LOCK = `
WITH named AS MATERIALIZED (
  SELECT key FROM unnest($1::text[]) AS given(key)
  UNION
  SELECT (SELECT number || '/' || customer FROM sends WHERE id = given.id) FROM unnest($2::text[]) AS given(id)
  ORDER BY 1)
SELECT l.* FROM named CROSS JOIN LATERAL (
  SELECT key, kind, owner, token FROM lanes WHERE lanes.key = named.key FOR UPDATE) AS l`

/** The fence still stands: nobody has taken its lane since. */
export function stands(locked: ReadonlyMap<string, LockedLane>, { lane, owner, token }: Fence): boolean {
  const found = locked.get(lane)
  return found?.owner === owner && found.token === token
}
