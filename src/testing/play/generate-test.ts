import type { CustomerAct, PlayFile, PlayStep, Written } from './file.ts'

/**
 * Writes a conversation as the text of a test for vitest, to be kept and changed by hand; the test imports the bot from
 * `../src/bot.ts`. `file` comes from `readPlayFile` or from a recorder.
 */
export function playAsTest(file: PlayFile): string {
  const phones = phonesOf(file.steps)
  const options = file.templates && file.templates.length > 0 ? `, ${literal({ templates: file.templates }, '  ')}` : ''
  const expects = file.steps.some((step) => step.expect !== undefined)
  return [
    ...(expects ? WITH_MATCHERS : PLAIN),
    `it(${quoted(file.name)}, async () => {`,
    `  await using s = await scenario(bot${options})`,
    ...[...phones.values()].map(({ name, source }) => `  const ${name} = ${source}`),
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
  readonly name: string
  readonly source: string
}

type Phones = ReadonlyMap<string, Phone>

/** The customers in the order in which they first act, once for each number. */
function phonesOf(steps: readonly PlayStep[]): Phones {
  const acts = new Map<string, CustomerAct>()
  for (const step of steps) if ('customer' in step) acts.set(phoneId(step), step)
  const one = acts.size === 1
  return new Map(
    [...acts].map(([id, { customer, number }], index) => [
      id,
      {
        name: one ? 'customer' : `customer${index + 1}`,
        source: `s.customer(${quoted(customer)}${optionOf(number)})`,
      },
    ]),
  )
}

function phoneId({ customer, number = '' }: CustomerAct): string {
  return `${customer} ${number}`
}

function lineOf(step: PlayStep, phones: Phones): string {
  const turn = turnOf(step, phones)
  if (step.expect === undefined) return `  await ${turn}`
  // Of turns that run at once the first has all that went out since.
  const first = turn.startsWith('Promise.all(') ? `(await ${turn})[0]` : `await ${turn}`
  const before = `  expect(${first}).toHaveSent(`
  return `${before}${literal(step.expect, '  ', before.split('\n').at(-1))})`
}

function turnOf(step: PlayStep, phones: Phones): string {
  if ('advance' in step) return `s.advance(${quoted(step.advance)})`
  if ('event' in step) return `s.event(${quoted(step.event)}, ${literal(step.payload, '  ')}${optionOf(step.number)})`
  const name = phones.get(phoneId(step))?.name as string
  if ('taps' in step) return `${name}.taps(${quoted(step.taps)})`
  if (!('writes' in step)) return writingOf(name, [step])
  const alike = runsOf(step.writes)
  if (alike.length === 1) return alike.map((run) => writingOf(name, run)).join('')
  return `Promise.all([\n${alike.map((run) => `    ${writingOf(name, run)},\n`).join('')}  ])`
}

/** Neighbours of one kind are one call. */
function runsOf(all: readonly Written[]): Written[][] {
  const kindOf = (one: Written | undefined) => one && ('says' in one ? 'text' : one.sends.kind)
  const runs: Written[][] = []
  for (const one of all) {
    const last = runs.at(-1)
    if (last && kindOf(last[0]) === kindOf(one)) last.push(one)
    else runs.push([one])
  }
  return runs
}

function writingOf(name: string, alike: readonly Written[]): string {
  const media = alike.flatMap((one) => ('says' in one ? [] : one.sends))
  const [first] = media
  if (!first) return `${name}.says(${alike.flatMap((one) => ('says' in one ? quoted(one.says) : [])).join(', ')})`
  const given = [quoted(first.kind), ...media.map(({ kind: _kind, ...one }) => literal(one, '  '))]
  const isLong = media.length > 1 && given.join(', ').length > MAX_LINE_LENGTH - '  await customer.sends()'.length
  return `${name}.sends(${isLong ? `\n    ${given.join(',\n    ')},\n  ` : given.join(', ')})`
}

function optionOf(number: string | undefined): string {
  return number === undefined ? '' : `, { number: ${quoted(number)} }`
}

// ── source text ─────────────────────────────────────────────────────────────────────────────────────

/** The longest line of source. */
const MAX_LINE_LENGTH = 116

/** Writes a JSON value as source. `before` is the text in front of the value, `margin` the indent of its later lines. */
function literal(value: unknown, margin = '', before = margin): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const inner = `${margin}  `
  const members = isList
    ? value.map((one) => literal(one, inner))
    : Object.entries(value).map(
        ([name, member]) => `${memberName(name)}: ${literal(member, inner, `${inner}${name}: `)}`,
      )
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const line = members.join(', ')
  if (members.length === 0) return open + close
  if (before.length + line.length <= MAX_LINE_LENGTH && !line.includes('\n'))
    return isList ? `[${line}]` : `{ ${line} }`
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${margin}${close}`
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

function memberName(name: string): string {
  // Without the brackets, this name would set the prototype.
  if (name === '__proto__') return "['__proto__']"
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}
