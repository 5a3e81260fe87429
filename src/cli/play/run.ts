import { SwitchhookError } from '../../base/errors.ts'
import type { Sent } from '../../testing/message-view.ts'
import { difference, fits } from '../../testing/play/compare.ts'
import type { PlayFile, PlayStep } from '../../testing/play/file.ts'
import { ControlRefused } from '../support/emulator.ts'
import type { RunStep } from './steps.ts'
import type { Watch } from './watch.ts'

export interface StepResult {
  readonly step: PlayStep
  /** `skipped`: an earlier step failed. */
  readonly state: 'passed' | 'failed' | 'skipped'
  /** All sends that followed the step. */
  readonly came: readonly Sent[]
  /** Why the step failed, in lines for people. */
  readonly why?: string
  readonly ms: number
}

interface RunDeps {
  readonly happens: RunStep
  readonly watch: Watch
  /** How long a step may take. */
  readonly waitMs: number
  readonly onPlayed: (played: StepResult, index: number) => void
}

/** A step whose expectation is decided is over after this time without events. */
const SETTLED_MS = 300

/** Plays one file step by step, up to the first failure. */
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

async function runStep(step: PlayStep, { happens, watch, waitMs }: RunDeps): Promise<StepResult> {
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
    const deliveryIds = await happens(step, deadline)
    const came = await awaitSends(step, { watch, before, deadline })
    const differs = step.expect && difference(step.expect, came)
    const troubles = deliveryIds.map(watch.trouble).filter((trouble) => trouble !== undefined)
    const why = [differs, ...troubles.map((trouble) => `    ${trouble}`)].filter((one) => one !== undefined)
    return played(came, why.length === 0 ? undefined : why.join('\n'))
  } catch (error) {
    // A refusal by the emulator fails the step; an emulator out of reach ends the command.
    if (error instanceof ControlRefused || error instanceof SwitchhookError)
      return played(watch.sentSince(before), `    ${error.message}`)
    throw error
  }
}

/** Collects a step's sends until they meet or miss the expectation and nothing more happens, or until the deadline. */
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

/** An empty expectation is met only at the deadline. */
function isMet(expected: NonNullable<PlayStep['expect']>, came: readonly Sent[]): boolean {
  return expected.length > 0 && difference(expected, came) === undefined
}

function isMissed(expected: NonNullable<PlayStep['expect']>, came: readonly Sent[]): boolean {
  return came.some((one, index) => {
    const wanted = expected[index]
    return wanted === undefined || !fits(one, wanted)
  })
}
