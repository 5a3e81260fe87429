import type { CustomerStep, RecordedReply, RecordedStep, Recording } from '../../testing/recording.ts'

/**
 * Writes a recording as the source text of a test for vitest, to be kept and changed manually. The test imports the bot
 * from `../src/bot.ts`.
 */
export function testOf({ name, templates = [], steps }: Recording): string {
  const options = templates.length > 0 ? `, ${JSON.stringify({ templates }, null, 2).replaceAll('\n', '\n  ')}` : ''
  return [
    "import { expect, it } from 'vitest'",
    "import { scenario } from 'switchhook/testing'",
    "import { bot } from '../src/bot.ts'",
    '',
    `it(${JSON.stringify(name)}, async () => {`,
    `  await using s = await scenario(bot${options})`,
    ...turnsIn(steps).map(lineOf),
    '})',
    '',
  ].join('\n')
}

interface Turn {
  readonly source: string
  readonly replies: readonly RecordedReply[] | undefined
}

function lineOf({ source, replies }: Turn): string {
  if (replies === undefined) return `  await ${source}`
  const expected = replies.map((reply) => `    ${JSON.stringify(sentFormOf(reply))},\n`).join('')
  return `  expect((await ${source}).sent).toMatchObject([${expected && `\n${expected}  `}])`
}

/** A reply in the form of `turn.sent`. */
function sentFormOf({ options, refused, url, ...reply }: RecordedReply): object {
  return {
    ...reply,
    ...(url !== undefined && { [reply.kind === 'interactive' ? 'link' : 'media']: { url } }),
    ...(options && { options: options.map((title) => ({ title })) }),
    ...(refused !== undefined && { refused: { code: refused } }),
  }
}

/** The longest time between two messages that count as written in a row: a bot may gather them as a burst. */
const IN_A_ROW_MS = 5_000

function turnsIn(steps: readonly RecordedStep[]): Turn[] {
  const turns: Turn[] = []
  for (let at = 0; at < steps.length; ) {
    const row = rowFrom(steps, at)
    const source = row.length > 1 ? rowSource(row) : sourceOf(steps[at] as RecordedStep)
    at += Math.max(1, row.length)
    turns.push({ source, replies: steps[at - 1]?.replies })
  }
  return turns
}

/** The messages from a step on that one customer wrote in a row, before any reply. */
function rowFrom(steps: readonly RecordedStep[], from: number): CustomerStep[] {
  const row: CustomerStep[] = []
  for (const step of steps.slice(from)) {
    if (step.kind !== 'text' && step.kind !== 'media') break
    const last = row.at(-1)
    if (last && !follows(step, last)) break
    row.push(step)
  }
  return row
}

function follows(step: CustomerStep, last: CustomerStep): boolean {
  const isSame = step.customer === last.customer && step.number === last.number
  return isSame && last.replies?.length === 0 && Date.parse(step.at) - Date.parse(last.at) <= IN_A_ROW_MS
}

function rowSource(row: readonly CustomerStep[]): string {
  const texts = row.flatMap((step) => (step.kind === 'text' ? JSON.stringify(step.text) : []))
  if (texts.length === row.length) return `${customerSource(row[0] as CustomerStep)}.says(${texts.join(', ')})`
  // Of turns that run at once the first has all that went out since.
  return `Promise.all([${row.map((step) => sourceOf(step)).join(', ')}]).then(([first]) => first)`
}

function sourceOf(step: RecordedStep): string {
  switch (step.kind) {
    case 'time':
      return `s.advance('${step.by}')`
    case 'delivery':
      return `s.event(${JSON.stringify(step.event)}, ${JSON.stringify(step.payload)}${numberSource(step)})`
    case 'text':
      return `${customerSource(step)}.says(${JSON.stringify(step.text)})`
    case 'tap':
      return `${customerSource(step)}.taps(${JSON.stringify(step.option)})`
    case 'media': {
      const { kind, ...media } = step.media
      return `${customerSource(step)}.sends('${kind}', ${JSON.stringify(media)})`
    }
  }
}

function customerSource(step: CustomerStep): string {
  return `s.customer('${step.customer}'${numberSource(step)})`
}

function numberSource({ number }: { readonly number?: string }): string {
  return number === undefined ? '' : `, ${JSON.stringify({ number })}`
}
