import { expect, it } from 'vitest'
import { openBench } from './bench.ts'

const MINUTE = 60_000

it('the ten minutes of an unknown outcome are ten minutes, although the wall clock leaps two hours ahead in an outage [B IDEM-07, F-76]', async () => {
  await using bench = openBench()
  bench.service.always = 'cut'
  void bench.boot().record('ready')
  const states = async () => (await bench.store.listSends({ limit: 2 })).sends.map(({ state }) => state)
  await bench.pass(MINUTE)
  bench.step(120 * MINUTE)
  await bench.pass(8.9 * MINUTE)
  expect(await states()).toEqual(['attempting'])
  await bench.pass(2 * MINUTE)
  expect(await states()).toEqual(['unknown'])
})
