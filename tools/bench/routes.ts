/**
 * What does it cost to find the routes of a message? Beside JSON.parse of that message's body, in one process and turn
 * by turn: absolute figures mean nothing on a machine that others share.
 */
import { tap } from 'switchhook'
import { z } from 'zod'
import { compile, type Message, RouteTable, routeMethods } from '../../src/routes/index.ts'
import { median } from './rounds.ts'

const ROUNDS = Number(process.argv[2] ?? 15)
const CALLS = Number(process.argv[3] ?? 20_000)

const opener = { open: () => undefined, now: Date.now() }
const nothing = () => {}
const expressions = Array.from({ length: 10 }, (_, index) => new RegExp(`order ${index} of (\\d+)`, 'i'))

/** So many exact texts and ids, half of each, and ten expressions. */
function routesOf(exact: number) {
  const table = new RouteTable()
  const bot = routeMethods(table)
  for (let index = 0; index < exact / 2; index++) {
    bot.hears(`word number ${index}`, nothing)
    bot.tapped(`option:${index}`, nothing)
  }
  for (const expression of expressions) bot.hears(expression, nothing)
  bot.tapped(tap('order', z.object({ id: z.string() })), nothing)
  bot.otherwise(nothing)
  return compile(table)
}

const TEXTS = {
  'that an expression takes': 'where is order 9 of 7781 please?',
  'that a word takes': 'Word Number 3',
  'that none takes': 'Habari, bei ya viatu ni ngapi?',
  'of 600 characters': 'Habari, bei ya viatu ni ngapi? '.repeat(20),
  'of 4,096 characters': 'Habari, bei ya viatu ni ngapi? '.repeat(132),
}
const TAPPED = { id: 'option:3', title: 'Track' }

const messages = {
  ...Object.fromEntries(
    Object.entries(TEXTS).map(([what, text]) => [`a text ${what}`, { text, tapped: undefined }] as const),
  ),
  'a tap': { text: undefined, tapped: TAPPED },
}

const sizes = { 10: routesOf(10), 490: routesOf(490), 10_000: routesOf(10_000) }

console.log(
  'ratio = finding the first route of 500 (490 exact, 10 expressions) / JSON.parse of the body; lower is better',
)
for (const [what, { text, tapped }] of Object.entries(messages)) {
  const body = bodyOf(text, tapped)
  const message: Message = { id: 'm', kind: 'text', at: new Date(), text, tapped, media: undefined }
  const parse = () => void JSON.parse(body)
  const find = (size: keyof typeof sizes) => () => void sizes[size].candidates([message], opener).next()
  const ratios = paired(find(490), parse)
  const alone = () => void (text !== undefined && expressions.forEach((expression) => expression.exec(text)))
  const growth = paired(find(10_000), find(10))
  console.log(
    `  ${what} (${body.length} bytes): ${median(ratios).toFixed(2)}, of it the expressions alone ${median(paired(alone, parse)).toFixed(2)}; 10,000 exact routes / 10: ${median(growth).toFixed(2)}`,
  )
}
console.log(`Node ${process.version}, median of ${ROUNDS} pairs of ${CALLS} calls`)

/** How much longer one takes than the other, pair by pair. */
function paired(one: () => void, other: () => void): number[] {
  for (const warm of [one, other]) time(warm)
  return Array.from({ length: ROUNDS }, (_, round) => {
    if (round % 2 === 0) return time(one) / time(other)
    const second = time(other)
    return time(one) / second
  })
}

function time(run: () => void): number {
  const began = process.hrtime.bigint()
  for (let call = 0; call < CALLS; call++) run()
  return Number(process.hrtime.bigint() - began)
}

/** A message as the service may send it. */
function bodyOf(text: string | undefined, tapped: typeof TAPPED | undefined): string {
  return JSON.stringify({
    id: 'evt-01KJZ8W6Q0000000000000000',
    event: 'message.received',
    data: {
      id: 'msg-01KJZ8W6Q0000000000000000',
      direction: 'INBOUND',
      message_type: tapped ? 'interactive' : 'text',
      content: text ?? tapped?.title,
      wa_message_id: 'wamid.HBgMMjU1NzEyMDAwMTAxFQIAEhgUM0E',
      from: '255712000101',
      created_at: '2026-03-04T09:15:21.000Z',
      ...(tapped && { interactive: { type: 'button_reply', button_reply: tapped } }),
    },
  })
}
