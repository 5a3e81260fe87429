/** Contenders in turns, in an order that changes with each round, and the median of the rounds without neighbours. */
import { createHmac } from 'node:crypto'
import { cpus } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { ask, type Contender } from './contenders.ts'
import { fire } from './load.ts'
import type { Figures } from './serve.ts'

/** One contender's part in a round. */
export interface Turn {
  readonly contender: Contender
  /** The service that it sends to, whose own CPU counts for nobody. */
  readonly service?: Contender
  /** Made before the clock runs. */
  readonly requests: (count: number) => readonly Buffer[]
  readonly count: number
  /** The status of every answer. */
  readonly answer?: number
}

export interface Taken {
  /** Microseconds of the contender's CPU for each request, until all that it acknowledged is handled and settled. */
  readonly cpu: number
  readonly seconds: number
  /** The share of the machine that others took. */
  readonly foreign: number
  /** Milliseconds that a fixed piece of work took, before and after. */
  readonly reference: number
}

export type Round<Name extends string> = Readonly<Record<Name, Taken>>

/** Rounds that do not count: V8 still compiles in the first ones, the more the more code a contender has. */
const WARM_UP = 3
/** The share that others may take in a turn, and how far the reference may be off its median. */
const FOREIGN = 0.15
const OFF = 0.25
/** Rarely, since each question is work for the contender. */
const POLL_MS = 50
/** A settlement may ride a commit after its handler's end. */
const SETTLING_MS = 100

/** Until there are enough rounds without a disturbed turn, or twice as many of any kind. */
export async function rounds<Name extends string>(
  turns: Readonly<Record<Name, Turn>>,
  enough: number,
): Promise<Round<Name>[]> {
  const names = Object.keys(turns) as Name[]
  for (let round = 0; round < WARM_UP; round++) await oneRound(names, turns)
  const all: Round<Name>[] = []
  const calm = () => all.filter((round) => names.every((name) => !disturbance(round[name], all)))
  while (all.length < enough || (calm().length < enough && all.length < 2 * enough)) {
    const round = await oneRound(order(names, all.length), turns)
    all.push(round)
    const figures = names.map((name) => {
      const disturbed = disturbance(round[name], all)
      return `${name} ${round[name].cpu.toFixed(0)}${disturbed ? ` (${disturbed})` : ''}`
    })
    console.log(`round ${all.length}: us of CPU a request: ${figures.join(', ')}`)
  }
  return all
}

/** Rotated by the round, and every second time from the end. */
function order<Name>(names: readonly Name[], round: number): readonly Name[] {
  const from = Math.floor(round / 2) % names.length
  const rotated = [...names.slice(from), ...names.slice(0, from)]
  return round % 2 === 0 ? rotated : rotated.reverse()
}

/** The median over the rounds in which both turns were calm, or over all of them if those are the fewer. */
export function ratio<Name extends string>(all: readonly Round<Name>[], other: Name, ours: Name) {
  const calm = all.filter((round) => [other, ours].every((name) => !disturbance(round[name], all)))
  const isCalm = calm.length * 2 > all.length
  const counted = isCalm ? calm : all
  const values = counted.map((round) => round[other].cpu / round[ours].cpu)
  const cpu = (name: Name) => median(counted.map((round) => round[name].cpu)).toFixed(0)
  const spread = `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`
  const which = isCalm ? `${calm.length} calm of ${all.length} rounds` : `all ${all.length} rounds, ${calm.length} calm`
  return { value: median(values), note: `${cpu(other)} ÷ ${cpu(ours)} µs, ${spread}; ${which}` }
}

/** Tells what disturbed a turn: the share of others, or how long the reference took beside its usual time. */
function disturbance<Name extends string>(turn: Taken, all: readonly Round<Name>[]): string | undefined {
  if (turn.foreign > FOREIGN) return `others ${(turn.foreign * 100).toFixed(0)} %`
  const usual = median(all.flatMap((round) => Object.values<Taken>(round).map(({ reference }) => reference)))
  const off = turn.reference / usual
  return Math.abs(off - 1) > OFF ? `reference ${off.toFixed(2)}` : undefined
}

async function oneRound<Name extends string>(
  names: readonly Name[],
  turns: Readonly<Record<Name, Turn>>,
): Promise<Round<Name>> {
  const taken = {} as Record<Name, Taken>
  for (const name of names) taken[name] = await take(turns[name])
  return taken
}

export async function take(turn: Turn): Promise<Taken> {
  const { contender, service, requests, count, answer = 200 } = turn
  const prepared = requests(count)
  const spun = spin()
  const [before, others, machine] = [await ask(contender), await cpuOf(service), usage()]
  const load = await fire(contender.port, prepared)
  if (load.answers.get(answer) !== count) throw new Error(`${contender.name}: ${JSON.stringify([...load.answers])}`)
  if (answer === 200) contender.sent += count
  const after = await handled(contender)
  const [known, now] = [after.cpu - before.cpu + (await cpuOf(service)) - others, usage()]
  const busy = now.busy - machine.busy
  const foreign = Math.max(0, busy - known - (now.own - machine.own)) / (now.had - machine.had)
  // The rest of the service's work is no part of the next turn.
  if (service) await handled(service)
  return { cpu: (after.cpu - before.cpu) / count, seconds: load.seconds, foreign, reference: (spun + spin()) / 2 }
}

async function cpuOf(service: Contender | undefined): Promise<number> {
  return service ? (await ask(service)).cpu : 0
}

/** Waits until all that was acknowledged is handled, and settled too. */
export async function handled(contender: Contender): Promise<Figures> {
  while (isBusy(await ask(contender))) await wait(POLL_MS)
  await wait(SETTLING_MS)
  return ask(contender)

  function isBusy({ handled, due = 0 }: Figures): boolean {
    return due > 0 || (handled !== undefined && handled < contender.sent)
  }
}

/** The machine's own account of its time, in microseconds: what it had, what all of it took, and this process. */
function usage(): { had: number; busy: number; own: number } {
  const all = cpus().map(({ times: { user, nice, sys, irq } }) => (user + nice + sys + irq) * 1000)
  const { user, system } = process.cpuUsage()
  return {
    had: performance.now() * 1000 * all.length,
    busy: all.reduce((sum, one) => sum + one, 0),
    own: user + system,
  }
}

const KILOBYTE = Buffer.alloc(1024, 'x')

/** The same work each time, in milliseconds by the clock: it takes longer if the processor is shared. */
function spin(): number {
  const began = performance.now()
  for (let one = 0; one < 2_000; one++) createHmac('sha256', 'reference').update(KILOBYTE).digest()
  return performance.now() - began
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low = Number.NaN, high = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return (low + high) / 2
}

export function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN
}
