import { expect, it } from 'vitest'
import { openWorld } from './virtual-world.ts'

const nothing = () => {}

it('a condition is not checked any more once it was true', async () => {
  await using world = await openWorld(nothing)
  let asked = 0
  await world.until(() => ++asked === 1)
  await world.settled()
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => void setImmediate(resolve))
  expect(asked).toBe(1)
})

it('a wait for a false condition ends with its world', async () => {
  const world = await openWorld(nothing)
  let asked = 0
  const never = world.until(() => void asked++)
  await expect.poll(() => asked).toBeGreaterThan(2)
  await world[Symbol.asyncDispose]()
  await expect(never).resolves.toBeUndefined()
})
