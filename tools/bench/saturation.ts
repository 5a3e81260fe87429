/** 64 connections, each as fast as its answers: does handling keep up with what is acknowledged? */
import { ask, type Contender, end, launch } from './contenders.ts'
import { checkHandled } from './claims.ts'
import { CONNECTIONS, fire } from './load.ts'
import { prepare } from './requests.ts'
import { take } from './rounds.ts'
import type { Measured } from './table.ts'

const WARM = 4_000

export async function saturation(seconds: number): Promise<Measured[]> {
  const ours = await saturated(await launch('ours-saturated'), seconds)
  const plain = await saturated(await launch('plain'), seconds)
  const note = (mine: number, others: number) =>
    `${(mine / seconds).toFixed(0)} ÷ ${(others / seconds).toFixed(0)} a second`
  return [
    { key: 'keepsUp', value: ours.handled / ours.acknowledged, note: `${ours.handled} of ${ours.acknowledged}` },
    {
      key: 'acknowledged',
      value: ours.acknowledged / plain.acknowledged,
      note: note(ours.acknowledged, plain.acknowledged),
    },
    { key: 'handled', value: ours.handled / plain.handled, note: note(ours.handled, plain.handled) },
  ]
}

async function saturated(contender: Contender, seconds: number): Promise<{ acknowledged: number; handled: number }> {
  const warm = await take({ contender, requests: (count) => prepare(count), count: WARM })
  const requests = endless(Math.ceil((WARM / warm.seconds) * seconds * 1.3))
  const before = await ask(contender)
  const load = await fire(contender.port, requests, seconds)
  const after = await ask(contender)
  const acknowledged = load.answers.get(200) ?? 0
  contender.sent += acknowledged
  await checkHandled(contender)
  await end(contender)
  return { acknowledged, handled: (after.handled ?? 0) - (before.handled ?? 0) }
}

/** So many are made before the clock runs; if they do not suffice, the rest while it does. */
function* endless(prepared: number): Iterable<Buffer> {
  yield* prepare(prepared)
  for (;;) yield* prepare(CONNECTIONS)
}
