import { expect, it } from 'vitest'
import { arrive } from '../acts.ts'
import { item, send } from '../samples.ts'
import type { Stage } from './index.ts'

/** Before a release the tables change without a new version: rows of the build before must never be misread. */
export function otherBuilds(at: Stage): void {
  it.each([
    ['other tables', 'f00d'],
    ['no digest of its tables, as builds before digests wrote it', undefined],
  ])('refuses to start over a database with %s, in words, and changes nothing in it', async (_what, digest) => {
    await arrive(at.store, [item()])
    await at.store.openSend(send())
    await at.place.setDigest(digest)
    const before = await at.place.view.snapshot()
    await expect(at.place.open()).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(
        /^the database \S*switchhook\S* was written by an unreleased build .*: start the build that wrote it, or start with a new database \(SWITCHHOOK_DATABASE\)$/,
      ),
    })
    expect(await at.place.view.snapshot()).toEqual(before)
  })
}
