import { SwitchhookError } from '../../base/errors.ts'
import { difference, fits } from '../../testing/play/compare.ts'
import type { PlayFile, PlayStep } from '../../testing/play/file.ts'
import type { Sent } from '../../testing/message-view.ts'
import { ControlRefused } from '../support/running-emulator.ts'
import type { StepRunner } from './steps.ts'
import type { Watch } from './watch.ts'

/** What became of one step. */
export interface StepResult {
  readonly step: PlayStep
  /** `skipped`: a step before it fell. */
  readonly state: 'passed' | 'failed' | 'skipped'
  /** All that it brought. */
  readonly came: readonly Sent[]
  /** Why it fell; lines for people. */
  readonly why?: string
  readonly ms: number
}

export interface RunDeps {
  readonly stage: StepRunner
  readonly watch: Watch
  /** How long a step may take. */
  readonly waitMs: number
  readonly onPlayed: (played: StepResult, index: number) => void
}

/** So long must nothing happen before a step that has brought what it should is taken to be over. */
const SETTLED_MS = 300

/** Plays one file, step by step, up to the first that falls. */
export async function runFile(file: PlayFile, parts: RunDeps): Promise<readonly StepResult[]> {
  const all: StepResult[] = []
  for (const [index, step] of file.steps.entries()) {
    const isOver = all.some(({ state }) => state === 'failed')
    const played = isOver ? ({ step, state: 'skipped', came: [], ms: 0 } as const) : await runStep(step, parts)
    parts.onPlayed(played, index)
    all.push(played)
  }
  return all
}

async function runStep(step: PlayStep, { stage, watch, waitMs }: RunDeps): Promise<StepResult> {
  const before = watch.count()
  const began = performance.now()
  const deadline = began + waitMs
  const played = (came: readonly Sent[], why: string | undefined): StepResult => ({
    step,
    state: why === undefined ? 'passed' : 'failed',
    came,
    ...(why !== undefined && { why }),
    ms: Math.round(performance.now() - began),
  })
  try {
    const deliveryIds = await stage.happens(step, deadline)
    const came = await awaitSends(step, { watch, before, deadline })
    const differs = step.expect && difference(step.expect, came)
    const troubles = deliveryIds.map(watch.trouble).filter((trouble) => trouble !== undefined)
    const why = [differs, ...troubles.map((trouble) => `    ${trouble}`)].filter((one) => one !== undefined)
    return played(came, why.length === 0 ? undefined : why.join('\n'))
  } catch (error) {
    // What the emulator refuses is the step's; what is out of reach ends all.
    if (error instanceof ControlRefused || error instanceof SwitchhookError)
      return played(watch.sentSince(before), `    ${error.message}`)
    throw error
  }
}

/** All that a step brings: until it is what was expected, or cannot become that any more, and nothing moves; or time is over. */
async function awaitSends(
  { expect }: PlayStep,
  { watch, before, deadline }: { watch: Watch; before: number; deadline: number },
): Promise<readonly Sent[]> {
  for (;;) {
    const came = watch.sentSince(before)
    const left = deadline - performance.now()
    if (left <= 0) return came
    const isDecided = expect === undefined || isMet(expect, came) || isMissed(expect, came)
    const moved = await watch.change(isDecided ? Math.min(SETTLED_MS, left) : left)
    if (isDecided && !moved) return watch.sentSince(before)
  }
}

/** That nothing comes is known when the time is over, and not before. */
function isMet(expected: NonNullable<PlayStep['expect']>, came: readonly Sent[]): boolean {
  return expected.length > 0 && difference(expected, came) === undefined
}

function isMissed(expected: NonNullable<PlayStep['expect']>, came: readonly Sent[]): boolean {
  return came.some((one, index) => {
    const wanted = expected[index]
    return wanted === undefined || !fits(one, wanted)
  })
}
