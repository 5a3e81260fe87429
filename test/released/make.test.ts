import { expect, it } from 'vitest'
import { openWorld } from '../support/virtual-world.ts'
import { BEGINS_AT, isToBeWritten, writeFixture } from './fixture.ts'
import { playUntilKilled } from './play.ts'
import { OPTIONS, shop } from './shop.ts'
import { TABLES } from '../../src/stores/postgres/schema.ts'

/** `npm run fixture` has the play write the database of this release, which later ones open in `goes-on.test.ts`. */
it('the play that makes the database of a release leaves a row in each of its tables', async () => {
  await using world = await openWorld(shop, { options: OPTIONS, beginsAt: BEGINS_AT })
  const service = await playUntilKilled(world)
  const empty: string[] = []
  for (const table of TABLES) if ((await world.read(`SELECT 1 FROM ${table}`)).length === 0) empty.push(table)
  expect(empty).toEqual([])
  if (isToBeWritten) writeFixture({ image: await world.image(), service })
})
