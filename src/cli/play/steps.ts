import { optionsInvalid } from '../../base/errors.ts'
import { choicesOn, type ThreadItem } from '../../emulator/model/thread.ts'
import { optionId } from '../../testing/message-view.ts'
import type { CustomerAct, PlayFile, PlayStep, Written } from '../../testing/play/file.ts'
import { type Control, ControlRefused } from '../support/emulator.ts'

interface Delivered {
  readonly deliveryIds: readonly string[]
}

/** The interval at which a tap looks for its option. */
const LOOK_EVERY_MS = 50

/** Carries out a step; resolves with the ids of its deliveries to the app. A tap waits for its option until `deadline`. */
export type RunStep = (step: PlayStep, deadline: number) => Promise<readonly string[]>

export function createRunStep(control: Control): RunStep {
  const write = async (step: CustomerAct, deadline: number) => {
    const path = `customers/${step.customer}/messages`
    const number = step.number === undefined ? {} : { number: step.number }
    const deliveryIds: string[] = []
    for (const what of await writingsOf(step, deadline)) {
      const delivered = await control.change<Delivered>('POST', path, { ...what, ...number })
      deliveryIds.push(...delivered.deliveryIds)
    }
    return { deliveryIds }
  }

  async function writingsOf(step: CustomerAct, deadline: number): Promise<readonly object[]> {
    if ('taps' in step) return [{ tap: await tappable(step.customer, step.taps, deadline) }]
    return ('writes' in step ? step.writes : [step]).map(bodyOf)
  }

  async function tappable(customer: string, option: string, deadline: number): Promise<string> {
    for (;;) {
      const { items } = await control.get<{ items: ThreadItem[] }>(`customers/${customer}/thread`)
      try {
        return optionId(option, choicesOn(items))
      } catch (error) {
        if (performance.now() > deadline) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  }

  return async (step, deadline) => {
    if ('advance' in step) {
      await control.change('POST', 'clock', { advance: step.advance, tellApp: true })
      return []
    }
    const { deliveryIds } =
      'event' in step ? await control.change<Delivered>('POST', 'events', eventOf(step)) : await write(step, deadline)
    if (deliveryIds.length > 0) return deliveryIds
    throw optionsInvalid(
      'it reached nobody: the emulator has no active endpoint. Start the app beside it with `switchhook dev`, or register its address',
    )
  }
}

function bodyOf(one: Written): object {
  return 'says' in one ? { text: one.says } : { media: one.sends }
}

function eventOf({ event, payload, number }: Extract<PlayStep, { event: string }>): object {
  return { event, payload, ...(number !== undefined && { number }) }
}

export async function addTemplates(control: Control, { templates = [] }: PlayFile): Promise<void> {
  for (const template of templates)
    try {
      await control.change('POST', 'templates', template)
    } catch (error) {
      if (!(error instanceof ControlRefused && error.code === 'template_exists')) throw error
    }
}
