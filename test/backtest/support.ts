import { lifecycleOf } from '../../src/app/lifecycle.ts'
import { startPlaying } from '../../src/backtest/play.ts'
import type { Recorded, Run, WorldOptions } from '../../src/backtest/recording.ts'
import type { AnyBot } from '../../src/receive/bot-internals.ts'

export const BEGIN = Date.parse('2026-03-04T09:00:00Z')
export const ASHA = '255712000101'

/** A text of a customer, so many milliseconds after the beginning. */
export function said(body: object | string, afterMs = 0, given: Partial<Recorded> & { from?: string } = {}): Recorded {
  const { from = ASHA, ...more } = given
  const at = BEGIN + afterMs
  const content = typeof body === 'string' ? { type: 'text', text: { body } } : body
  const data = { message_id: `wamid.${from}.${at}`, from, timestamp: String(Math.floor(at / 1_000)), ...content }
  return {
    id: `delivery-${from}-${at}`,
    event: 'message.received',
    at,
    body: JSON.stringify({ id: `evt_${at}`, event: 'message.received', data }),
    ...more,
  }
}

const DAY = 86_400_000

export async function playedBy(
  bot: AnyBot,
  deliveries: readonly Recorded[],
  { templates = [], allow = [], ...more }: Partial<WorldOptions> & { handlerTimeoutMs?: number } = {},
): Promise<Run> {
  const life = lifecycleOf(bot)
  const play = await startPlaying(life, { deliveries, templates, allow, afterMs: DAY, ...more })
  const run = await play()
  life.abandon()
  return { ...run, refused: {} }
}

/** The answers to each delivery, a list of texts each. */
export function textsOf({ played }: Run): string[][] {
  return played.map((one) => one.said.map(({ text }) => text))
}
