import { expect, it } from 'vitest'
import { describeStore } from './contract/index.ts'
import { arrive, begin, item, T0 } from './samples.ts'
import { placeOnDisk, sqlite } from './sqlite-backend.ts'

describeStore(sqlite)

it('a store (sqlite) keeps U+0000 in columns of text', async () => {
  const place = placeOnDisk()
  try {
    const store = await place.open()
    const strange = 'a\u0000b'
    await arrive(store, [
      item({ number: strange, lane: `${strange}/status`, cause: { identity: undefined, signed: strange } }),
    ])
    expect((await begin(store, { now: T0 })).item).toMatchObject({ number: strange, cause: strange })
  } finally {
    await place.remove()
  }
})
