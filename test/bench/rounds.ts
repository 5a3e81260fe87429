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
}

export interface Round<Name extends string> {
  readonly taken: Readonly<Record<Name, Taken>>
  /** Why the round does not count. */
  readonly disturbed: string | undefined
}

/** Share of the machine that others may take in a turn, and how far the reference may be off its median. */
const FOREIGN = 0.15
const OFF = 0.25
/** A settlement may ride a commit after its handler's end. */
const SETTLING_MS = 100

export async function rounds<Name extends string>(
  turns: Readonly<Record<Name, Turn>>,
  atLeast: number,
  log: (line: string) => void,
): Promise<Round<Name>[]> {
  const names = Object.keys(turns) as Name[]
  // The first round warms up and does not count.
  await oneRound(names, turns)
  const all: (Awaited<ReturnType<typeof oneRound<Name>>> & { disturbed: string | undefined })[] = []
  const calm = () => all.filter((round) => !round.disturbed).length
  while (all.length < atLeast || (calm() < atLeast && all.length < 2 * atLeast)) {
    const round = { ...(await oneRound(order(names, all.length), turns)), disturbed: undefined }
    all.push(round)
    const usual = median(all.map(({ reference }) => reference))
    for (const [at, each] of all.entries()) all[at] = { ...each, disturbed: disturbance(each, usual) }
    const figures = names.map((name) => `${name} ${round.taken[name].cpu.toFixed(0)}`)
    log(`round ${all.length}: us of CPU a request: ${figures.join(', ')}; ${all.at(-1)?.disturbed ?? 'calm'}`)
  }
  return all
}

/** Rotated by the round, and every second time from the end. */
function order<Name>(names: readonly Name[], round: number): readonly Name[] {
  const from = Math.floor(round / 2) % names.length
  const rotated = [...names.slice(from), ...names.slice(0, from)]
  return round % 2 === 0 ? rotated : rotated.reverse()
}

/** The median over the calm rounds, or over all of them if most were disturbed. */
export function ratio<Name extends string>(
  all: readonly Round<Name>[],
  other: Name,
  ours: Name,
): { value: number; note: string } {
  const calm = all.filter(({ disturbed }) => !disturbed)
  const counted = calm.length * 2 > all.length ? calm : all
  const values = counted.map(({ taken }) => taken[other].cpu / taken[ours].cpu)
  const cpu = (name: Name) => median(counted.map(({ taken }) => taken[name].cpu)).toFixed(0)
  const spread = `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`
  const which =
    counted === calm ? `${calm.length} calm of ${all.length} rounds` : `all ${all.length} rounds, ${calm.length} calm`
  return { value: median(values), note: `${cpu(other)} ÷ ${cpu(ours)} µs, ${spread}; ${which}` }
}

interface Machine {
  readonly foreign: number
  readonly reference: number
}

async function oneRound<Name extends string>(
  names: readonly Name[],
  turns: Readonly<Record<Name, Turn>>,
): Promise<{ taken: Record<Name, Taken> } & Machine> {
  const taken = {} as Record<Name, Taken>
  let [foreign, references] = [0, [spin()]]
  for (const name of names) {
    const turn = await take(turns[name])
    taken[name] = turn
    foreign = Math.max(foreign, turn.foreign)
    references = [...references, spin()]
  }
  return { taken, foreign, reference: median(references) }
}

export async function take(turn: Turn): Promise<Taken & { foreign: number }> {
  const { contender, service, requests, count, answer = 200 } = turn
  const prepared = requests(count)
  const [before, others, machine] = [await ask(contender), await cpuOf(service), usage()]
  const load = await fire(contender.port, prepared)
  if (load.answers.get(answer) !== count) throw new Error(`${contender.name}: ${JSON.stringify([...load.answers])}`)
  if (answer === 200) contender.sent += count
  const after = await handled(contender)
  const [known, now] = [after.cpu - before.cpu + (await cpuOf(service)) - others, usage()]
  const busy = now.busy - machine.busy
  const foreign = Math.max(0, busy - known - (now.own - machine.own)) / (busy + now.idle - machine.idle)
  // What the service has still to do is no part of the next turn.
  if (service) await handled(service)
  return { cpu: (after.cpu - before.cpu) / count, seconds: load.seconds, foreign }
}

async function cpuOf(service: Contender | undefined): Promise<number> {
  return service ? (await ask(service)).cpu : 0
}

/** Waits until all that was acknowledged is handled, and settled too. */
export async function handled(contender: Contender): Promise<Figures> {
  while (isBusy(await ask(contender))) await wait(20)
  await wait(SETTLING_MS)
  return ask(contender)

  function isBusy({ handled, due = 0 }: Figures): boolean {
    return due > 0 || (handled !== undefined && handled < contender.sent)
  }
}

function disturbance({ foreign, reference }: Machine, usual: number): string | undefined {
  if (foreign > FOREIGN) return `disturbed: others took ${(foreign * 100).toFixed(0)} % of the machine`
  const off = reference / usual
  return Math.abs(off - 1) > OFF ? `disturbed: the reference took ${off.toFixed(2)} of its usual time` : undefined
}

/** The machine's own account of its time, in microseconds. */
function usage(): { busy: number; idle: number; own: number } {
  const times = cpus().map(({ times }) => times)
  const sum = (pick: (one: (typeof times)[number]) => number) => times.reduce((all, one) => all + pick(one) * 1000, 0)
  const { user, system } = process.cpuUsage()
  return {
    busy: sum((one) => one.user + one.nice + one.sys + one.irq),
    idle: sum((one) => one.idle),
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
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
