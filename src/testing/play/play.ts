import type { Duration } from '../../base/duration.ts'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import type { Customer } from '../customer.ts'
import type { Stage } from '../stage.ts'
import type { Turn } from '../turn.ts'
import { difference } from './compare.ts'
import type { CustomerAct, PlayFile, PlayStep } from './file.ts'
import { tellStep } from './tell.ts'

/** A step of a played file brought something else than the file expects. `code` is `play_failed`. */
export class PlayFailed extends SwitchhookError {
  /** The step, counted from 1. */
  readonly step: number

  constructor(file: PlayFile, index: number, what: string, options?: { cause: unknown }) {
    const step = file.steps[index] as PlayStep
    const message = `"${file.name}" falls at step ${index + 1} of ${file.steps.length}, ${tellStep(step)}:\n${what}`
    super('play_failed', message, options)
    this.name = 'PlayFailed'
    this.step = index + 1
  }
}

/** Does one step after another. @throws PlayFailed at the first that falls. */
export async function play(stage: Stage, file: PlayFile): Promise<void> {
  for (const [index, step] of file.steps.entries()) {
    const { sent } = await happens(stage, step).catch((error: unknown) => {
      throw new PlayFailed(file, index, reasonOf(error), { cause: error })
    })
    const differs = step.expect && difference(step.expect, sent)
    if (differs !== undefined) throw new PlayFailed(file, index, differs)
  }
}

async function happens(stage: Stage, step: PlayStep): Promise<Turn> {
  if ('advance' in step) return stage.advance(step.advance as Duration)
  const to = step.number === undefined ? {} : { number: step.number }
  if ('event' in step) return stage.event(step.event, step.payload, to)
  return acts(stage.customer(step.customer, to), step)
}

function acts(customer: Customer, step: CustomerAct): Promise<Turn> {
  if ('says' in step) return customer.says(step.says)
  if ('taps' in step) return customer.taps(step.taps)
  const { kind, ...media } = step.sends
  return customer.sends(kind, media)
}
