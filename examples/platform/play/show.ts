/** The play: tenants sign up, their customers write, things go wrong, and in the end all is counted. */
import { setTimeout as wait } from 'node:timers/promises'
import { type Act, actsOn } from './acts.ts'
import { isUp, type Watched } from './gauges.ts'
import type { Tally } from './phones.ts'
import { addTenant, openPlatform, type Parts, type Platform } from './platform.ts'
import { openView, type View } from './view.ts'

export interface Play extends Parts {
  readonly processes: readonly Watched[]
  /** The play ends after this many seconds, and meanwhile does each act once. Undefined: a key ends it. */
  readonly seconds: number | undefined
  /** Ends it at once. */
  readonly interrupt: AbortController
}

const FIRST_TENANTS = ['asha-fruit', 'juma-garden', 'neema-market', 'baraka-farm']
const LOOK_EVERY_MS = 500
const PATIENCE_MS = 60_000
const CTRL_C = '\u0003'

/** Gives the tally once every order is answered, or no answer has come for a minute. */
export async function show(play: Play): Promise<Tally> {
  await allUp(play)
  await using platform = await openPlatform(play)
  const acts = actsOn(platform)
  const quit = new AbortController()
  const perform = async ({ run }: Act) => view.tell(await run().catch((error: Error) => error.message))
  using view = openView(play.processes, platform, {
    keys: [...acts.map(({ key, does }) => `${key} ${does}`), 'q end'],
    pressed(key) {
      if (key === 'q') quit.abort()
      if (key === CTRL_C) play.interrupt.abort()
      const act = acts.find((one) => one.key === key)
      if (act) void perform(act)
    },
  })

  for (const number of FIRST_TENANTS) await addTenant(platform, number)
  const over = AbortSignal.any([quit.signal, play.interrupt.signal])
  const script = scriptOf(acts, play.seconds)
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1_000
  while (!over.aborted && (script.length > 0 || seconds() < (play.seconds ?? Infinity))) {
    await view.paint()
    if (script[0] && script[0].after <= seconds()) await perform(script.shift()?.act as Act)
    await pause(over)
  }
  platform.load.stop()
  // With `await`: the platform closes behind it.
  return await lastAnswers(platform, view, play.interrupt.signal)
}

async function allUp({ processes, interrupt: { signal } }: Play): Promise<void> {
  while (!signal.aborted && (await Promise.all(processes.map(isUp))).includes(false)) await pause(signal)
}

/** Each act once, with equal times before, between and behind them. */
function scriptOf(acts: readonly Act[], seconds: number | undefined): { after: number; act: Act }[] {
  if (seconds === undefined) return []
  return acts.map((act, at) => ({ act, after: ((at + 1) * seconds) / (acts.length + 1) }))
}

/** Waits until all is answered, or no answer has come for a minute. */
async function lastAnswers({ load }: Platform, view: View, interrupt: AbortSignal): Promise<Tally> {
  let tally = await view.paint()
  let progressAt = performance.now()
  while (tally.answered < tally.written && !interrupt.aborted && performance.now() - progressAt < PATIENCE_MS) {
    const { answered } = tally
    await load.retry()
    await pause(interrupt)
    tally = await view.paint()
    if (tally.answered > answered) progressAt = performance.now()
  }
  return tally
}

function pause(over: AbortSignal): Promise<void> {
  return wait(LOOK_EVERY_MS, undefined, { signal: over }).catch(() => {})
}
