import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Bot, buttons, type Sender, template } from 'switchhook'
import type { RecordedStep, Recording } from '../../../src/emulator/recording/recording.ts'
import { ASHA, JUMA, openWorld, type World } from '../../support/world.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { switchhook } from './support.ts'

const READY = { name: 'ready', language: 'sw', body: 'Oda {{1}} iko tayari' }

function routes(bot: Bot & Sender): void {
  bot.hears('hours', (ctx) => ctx.reply('9 to 17'))
  bot.hears('remind me', async (ctx) => {
    await ctx.reply('I will')
    await ctx.to(ctx.customer).send('The hour is over', { at: '1h' })
  })
  bot.hears('silence', () => {})
  bot.tapped('track', (ctx) => ctx.reply('On its way'))
  bot.received('image', (ctx) => ctx.reply(`What a ${ctx.message.media.caption}!`))
  bot.on('order.ready', async (ctx) => {
    await ctx.to(JUMA).send('It is ready.', { outsideWindow: template('ready', 'sw', { body: ['7781'] }) })
  })
  bot.otherwise((ctx) => ctx.reply(buttons('How can we help?', [{ id: 'track', title: 'Track order' }])))
}

let world: World
beforeAll(async () => void (world = await openWorld(routes)))
afterAll(() => world[Symbol.asyncDispose]())

const at = '2026-03-04T09:00:00.000Z'
const recording = (...steps: RecordedStep[]): Recording => ({ recording: 1, name: 'a day in the shop', steps })
const hours = (text = '9 to 17'): RecordedStep => ({
  kind: 'text',
  at,
  customer: ASHA,
  text: 'hours',
  replies: [{ text }],
})

function play(what: Recording, ...flags: string[]) {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'day.json'), JSON.stringify(what))
  const { url, controlToken } = world.emulator
  const environment = { SWITCHHOOK_EMULATOR: url, SWITCHHOOK_CONTROL_TOKEN: controlToken }
  return switchhook(['play', 'day.json', ...flags], environment, folder)
}

it('plays each kind of step against the running app, a line a step', async () => {
  const image = { kind: 'image', url: 'https://media.example/1.jpg', caption: 'shoe' } as const
  const received = { id: 'evt_9', event: 'message.received', data: { message_id: 'wamid.9', from: '255712000103' } }
  const day = {
    ...recording(
      { ...hours(), replies: [{ text: '9 to 17', to: ASHA }] },
      { kind: 'text', at, customer: ASHA, text: 'hi', replies: [{ text: 'How can we help?' }] },
      { kind: 'tap', at, customer: ASHA, option: 'Track order', replies: [{ text: 'On its way' }] },
      { kind: 'media', at, customer: ASHA, media: image, replies: [{ text: 'What a shoe!' }] },
      { kind: 'text', at, customer: ASHA, text: 'remind me', replies: [{ text: 'I will' }] },
      { kind: 'time', at, by: '1h', replies: [{ to: ASHA, text: 'The hour is over' }] },
      {
        kind: 'delivery',
        at,
        event: 'order.ready',
        payload: { id: '7781' },
        replies: [{ refused: 'outside_messaging_window' }, { to: JUMA, template: { name: 'ready', body: ['7781'] } }],
      },
      {
        kind: 'delivery',
        at,
        event: 'message.received',
        customer: '255712000103',
        text: 'hours',
        payload: {
          ...received,
          data: {
            ...received.data,
            timestamp: String(Math.floor(Date.now() / 1_000)),
            type: 'text',
            text: { body: 'hours' },
          },
        },
        replies: [{ text: '9 to 17' }],
      },
    ),
    templates: [READY],
  }
  const { code, stdout, stderr } = await play(day)
  expect(stdout).toBe(`ok     ${ASHA} says "hours"
ok     ${ASHA} says "hi"
ok     ${ASHA} taps "Track order"
ok     ${ASHA} sends image "shoe"
ok     ${ASHA} says "remind me"
ok     1h pass
ok     order.ready
ok     255712000103 message.received "hours"

8 passed, 0 failed, 0 skipped.
`)
  expect([code, stderr]).toEqual([0, ''])
})

it('shows the difference if a step fails, skips the rest, and exits with 1', async () => {
  const day = recording(hours(), hours('9 to 18'), hours())
  const { code, stdout, stderr } = await play(day, '--wait', '1s')
  expect(stdout).toBe(`ok     ${ASHA} says "hours"
FAILED ${ASHA} says "hours"
  - recorded "9 to 18"
  + received "9 to 17" to ${ASHA}
-      ${ASHA} says "hours"

1 passed, 1 failed, 1 skipped.
`)
  expect([code, stderr]).toEqual([1, ''])
})

it.for<[string, RecordedStep, RegExp]>([
  ['nothing comes', { ...hours('x'), text: 'silence' } as RecordedStep, /- recorded "x"\n +\+ received +nothing more/],
  ['something comes besides', { ...hours(), replies: [] }, /- recorded nothing more\n +\+ received +"9 to 17"/],
  ['no phone shows the option', { kind: 'tap', at, customer: JUMA, option: 'pay' }, /shows no option "pay"/],
  [
    'no such number is connected',
    { ...hours(), number: 'sales' } as RecordedStep,
    /The number "sales" is not connected/,
  ],
])('a step fails if %s', async ([, step, why]) => {
  const { code, stdout } = await play(recording(step), '--wait', '1s')
  expect(stdout).toMatch(/^FAILED/)
  expect(stdout).toMatch(why)
  expect(code).toBe(1)
})
