import type { CustomerAct, PlayFile, PlayStep } from './file.ts'
import { literal, quoted } from './literal.ts'

/**
 * A conversation as the text of a test for vitest, to be kept and changed by hand; it expects the bot in `../src/bot.ts`.
 * `file` as `readPlayFile` or a recorder makes it.
 */
export function playAsTest(file: PlayFile): string {
  const phones = phonesOf(file.steps)
  const given = file.templates && file.templates.length > 0 ? `, ${literal({ templates: file.templates }, '  ')}` : ''
  const expects = file.steps.some((step) => step.expect !== undefined)
  return [
    ...(expects ? WITH_MATCHERS : PLAIN),
    `it(${quoted(file.name)}, async () => {`,
    `  await using s = await scenario(bot${given})`,
    ...[...phones.values()].map(({ name, made }) => `  const ${name} = ${made}`),
    '',
    ...file.steps.map((step) => lineOf(step, phones)),
    '})',
    '',
  ].join('\n')
}

const BOT = "import { bot } from '../src/bot.ts'"

const PLAIN = ["import { it } from 'vitest'", "import { scenario } from 'switchhook/testing'", BOT, '']

const WITH_MATCHERS = [
  "import { expect, it } from 'vitest'",
  "import { scenario, type TurnMatchers, turnMatchers } from 'switchhook/testing'",
  BOT,
  '',
  "declare module 'vitest' {",
  '  interface Matchers<R, T> extends TurnMatchers<R> {}',
  '}',
  'expect.extend(turnMatchers)',
  '',
]

interface Phone {
  /** The variable. */
  readonly name: string
  readonly made: string
}

type Phones = ReadonlyMap<string, Phone>

/** The customers in the order in which they come, each once per number. */
function phonesOf(steps: readonly PlayStep[]): Phones {
  const acts = new Map<string, CustomerAct>()
  for (const step of steps) if ('customer' in step) acts.set(idOf(step), step)
  const one = acts.size === 1
  return new Map(
    [...acts].map(([id, { customer, number }], index) => [
      id,
      {
        name: one ? 'customer' : `customer${index + 1}`,
        made: `s.customer(${quoted(customer)}${optionOf(number)})`,
      },
    ]),
  )
}

function idOf({ customer, number = '' }: CustomerAct): string {
  return `${customer} ${number}`
}

function lineOf(step: PlayStep, phones: Phones): string {
  const turn = `await ${turnOf(step, phones)}`
  if (step.expect === undefined) return `  ${turn}`
  const before = `  expect(${turn}).toHaveSent(`
  return `${before}${literal(step.expect, '  ', before)})`
}

function turnOf(step: PlayStep, phones: Phones): string {
  if ('advance' in step) return `s.advance(${quoted(step.advance)})`
  if ('event' in step) return `s.event(${quoted(step.event)}, ${literal(step.payload, '  ')}${optionOf(step.number)})`
  const name = phones.get(idOf(step))?.name
  if ('says' in step) return `${name}.says(${quoted(step.says)})`
  if ('taps' in step) return `${name}.taps(${quoted(step.taps)})`
  const { kind, ...media } = step.sends
  return `${name}.sends(${quoted(kind)}, ${literal(media, '  ')})`
}

function optionOf(number: string | undefined): string {
  return number === undefined ? '' : `, { number: ${quoted(number)} }`
}
