import { AttemptOver } from '../../../src/bot/switchhook.ts'
import { expect, it } from 'vitest'
import { ASHA, openWorld } from '../../support/virtual-world.ts'
import { says } from '../../support/turn.ts'
import { JUMA, T0, WHO } from '../../store/samples.ts'
import { placeOnDisk, read } from '../../store/sqlite-backend.ts'
import type { Store } from '../../../src/store/store.ts'

it('a method that the queue of people adds to the context of a message is an effect of the attempt: it is refused behind its end, and the log says so', async () => {
  let late: () => Promise<void> = async () => {}
  await using world = await openWorld((bot) =>
    bot.hears('fever', ({ askForPerson }) => {
      late = askForPerson
      return askForPerson()
    }),
  )
  await says(world, 'fever')
  expect(await world.store().peopleRows([{ number: 'default', customer: ASHA }])).toMatchObject([{ why: 'asked' }])
  await expect(late()).rejects.toThrow(AttemptOver)
  expect(world.lines.map(({ message }) => message)).toContainEqual(expect.stringContaining('after it had returned'))
})

it('a method that a feature adds to the handle of a customer is an effect of the attempt as well', async () => {
  let late: () => Promise<void> = async () => {}
  await using world = await openWorld((bot) =>
    bot.hears('fever', (ctx) => {
      const { handOver } = ctx.to(JUMA)
      late = () => handOver({ for: '1h' })
      return late()
    }),
  )
  await says(world, 'fever')
  expect((await world.store().customerOf('default', JUMA, world.now())).silence?.by).toBe('person')
  await expect(late()).rejects.toThrow(AttemptOver)
  expect(world.lines.map(({ message }) => message)).toContainEqual(expect.stringContaining('after it had returned'))
})

it('a method of a feature can be replaced in one context, as the others can', async () => {
  let replaced = 0
  await using world = await openWorld((bot) =>
    bot.hears('fever', async (ctx) => {
      ctx.askForPerson = async () => void replaced++
      await ctx.askForPerson()
    }),
  )
  await says(world, 'fever')
  expect(replaced).toBe(1)
  expect(await world.store().peopleRows([{ number: 'default', customer: ASHA }])).toMatchObject([{ since: undefined }])
})

it('the methods of a feature are in a copy of a context, and in what wraps it, as the others are', async () => {
  await using world = await openWorld((bot) =>
    bot.hears('fever', async (ctx) => {
      await { ...ctx }.handOver({ for: '1h' })
      await Object.create(ctx).askForPerson()
      const { resume } = new Proxy(ctx, {})
      await resume()
    }),
  )
  await says(world, 'fever')
  expect((await world.counts()).items).toMatchObject({ done: 1 })
  expect((await world.store().customerOf('default', ASHA, world.now())).silence).toBeUndefined()
})

it.each<[string, (store: Store) => Promise<unknown>]>([
  ['of the store', (store) => store.history(WHO, 9)],
  [
    'the list of a feature',
    (store) => store.listPeople({ list: 'recent', who: 'neema', numbers: undefined, at: T0, limit: 9 }),
  ],
  ['the chat of a feature', (store) => store.chatOf(WHO, { limit: 9 })],
])('an operation that uses the indexes of a history makes them at its first call: %s', async (_, ask) => {
  const place = placeOnDisk()
  try {
    const store = await place.open()
    const made = () =>
      read(
        place.file,
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE '%\\_said' ESCAPE '\\' ORDER BY name",
      )
    await store.overview()
    expect(made()).toEqual([])
    await ask(store)
    expect(made().map(({ name }) => name)).toEqual(['inbox_said', 'sends_said'])
  } finally {
    await place.remove()
  }
})
