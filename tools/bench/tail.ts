/** The slowest of a hundred answers at a rate that ours can bear: 60 % of our saturation, for both. */
import { type Contender, end, launch } from './contenders.ts'
import { fire, pace } from './load.ts'
import { prepare } from './requests.ts'
import { handled, median, quantile } from './rounds.ts'
import type { Measured } from './table.ts'

const WARM = 20_000
const SHARE = 0.6
const SECONDS = 10

export async function tail(enough: number): Promise<Measured[]> {
  const [ours, plain] = [await launch('ours'), await launch('plain')]
  const rate = Math.floor(SHARE * (await saturationOf(ours)))
  await saturationOf(plain)
  const all: { readonly ours: number; readonly plain: number }[] = []
  while (all.length < enough) {
    const isFirst = all.length % 2 === 0
    const first = await slowest(isFirst ? ours : plain, rate)
    const second = await slowest(isFirst ? plain : ours, rate)
    const round = isFirst ? { ours: first, plain: second } : { ours: second, plain: first }
    all.push(round)
    console.log(`round ${all.length}: p99 in ms ${round.ours.toFixed(2)}, ${round.plain.toFixed(2)}`)
  }
  await end(ours)
  await end(plain)
  const values = all.map((round) => round.ours / round.plain)
  const of = (name: 'ours' | 'plain') => median(all.map((round) => round[name])).toFixed(2)
  const spread = `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)}`
  const note = `${of('ours')} ÷ ${of('plain')} ms at ${rate} a second, ${spread}; ${all.length} rounds of ${SECONDS} s`
  return [{ key: 'tail', value: median(values), note }]
}

/** Requests a second. */
async function saturationOf(contender: Contender): Promise<number> {
  await send(contender, WARM)
  const { seconds } = await send(contender, WARM)
  return WARM / seconds
}

async function send(contender: Contender, count: number) {
  const load = await fire(contender.port, prepare(count))
  contender.sent += count
  await handled(contender)
  return load
}

async function slowest(contender: Contender, rate: number): Promise<number> {
  const requests = prepare(rate * SECONDS)
  const times = await pace(contender.port, requests, rate)
  contender.sent += requests.length
  await handled(contender)
  return quantile(times, 0.99)
}
