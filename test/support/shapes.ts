import type { SeenShape } from '../../src/store/types/types.ts'
import type { World } from './virtual-world.ts'

/** The shapes of payloads that a world's database keeps. */
export async function shapesOf(world: Pick<World, 'read'>): Promise<SeenShape[]> {
  const rows = await world.read("SELECT value FROM meta WHERE name LIKE 'shape:%' ORDER BY name")
  return rows.map(({ value }) => JSON.parse(String(value)) as SeenShape)
}
