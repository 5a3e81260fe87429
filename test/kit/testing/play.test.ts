import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type AnyBot, buttons, createBot, tap, template } from 'switchhook'
import { scenario } from 'switchhook/testing'
import { z } from 'zod'
import { readRecording } from '../../../src/emulator/recording/recording.ts'
import { ASHA, JUMA } from '../../support/people.ts'
import { temporaryFolder } from '../../support/folder.ts'

function shop({ hours = '9 to 17' } = {}) {
  const bot = createBot({ burst: { quiet: '3s' } })
  const track = tap('track', z.object({ order: z.string() }))
  bot.hears('hours', (ctx) => ctx.reply(hours))
  bot.hears('broken', () => {
    throw new TypeError('no price')
  })
  bot.tapped(track, (ctx) => ctx.reply(`Order ${ctx.params.order} is on its way`), {
    stale: (ctx) => ctx.reply('Too old'),
  })
  bot.hears('order', (ctx) =>
    ctx.reply(buttons('Which one?', [track.option('The first', { order: '7781' }), { id: 'other', title: 'Another' }])),
  )
  bot.on('order.ready', (ctx) =>
    ctx.to(JUMA).send('It is ready.', { outsideWindow: template('ready', 'sw', { body: ['7781'] }) }),
  )
  bot.otherwise((ctx) => ctx.reply(`${ctx.messages.length} messages`))
  return bot
}

const START = Date.parse('2026-11-22T09:00:00Z')
const at = (ms: number) => ({ at: new Date(START + ms).toISOString() })
const recording = (...steps: object[]) => ({ recording: 1, name: 'a day in the shop', steps })

/** A delivery as the service sends it. */
function delivered(ms: number, content: string | object, from = ASHA): object {
  const said = typeof content === 'string' ? { type: 'text', text: { body: content } } : content
  const data = { message_id: `wamid.${from}.${ms}`, from, timestamp: String(Math.floor((START + ms) / 1_000)), ...said }
  const payload = { id: `evt_${from}_${ms}`, event: 'message.received', data }
  const text = typeof content === 'string' ? { text: content } : {}
  return { kind: 'delivery', ...at(ms), event: 'message.received', customer: from, ...text, payload }
}

async function played(given: object | string, bot: AnyBot = shop()): Promise<string> {
  await using s = await scenario(bot)
  return await s.play(given)
}

describe('play', () => {
  it('plays each kind of step at its own time, and returns the sent messages below it', async () => {
    const told = recording(
      { kind: 'text', ...at(0), customer: ASHA, text: 'hours' },
      { kind: 'text', ...at(10_000), customer: ASHA, text: 'order' },
      { kind: 'tap', ...at(20_000), customer: ASHA, option: 'The first' },
      { kind: 'media', ...at(30_000), customer: ASHA, media: { kind: 'image', url: 'https://media.example/1.jpg' } },
      { kind: 'time', ...at(40_000), by: '25h' },
      { kind: 'delivery', ...at(26 * 3_600_000), event: 'order.ready', payload: { id: '7781' } },
    )
    const ready = { name: 'ready', language: 'sw', body: 'Oda {{1}} iko tayari' }
    expect(await played({ ...told, templates: [ready] })).toMatchInlineSnapshot(`
      "2026-11-22T09:00:00.000Z 255712000101 says "hours"
        → "9 to 17" to 255712000101
      2026-11-22T09:00:10.000Z 255712000101 says "order"
        → interactive "Which one?" [The first] [Another] to 255712000101
      2026-11-22T09:00:20.000Z 255712000101 taps "The first"
        → "Order 7781 is on its way" to 255712000101
      2026-11-22T09:00:30.000Z 255712000101 sends image https://media.example/1.jpg
        → "1 messages" to 255712000101
      2026-11-22T09:00:40.000Z 25h pass
      2026-11-23T11:00:00.000Z order.ready
        → "It is ready." to 255712000102 refused as outside_messaging_window
        → template ready (sw) with "7781" "Oda 7781 iko tayari" to 255712000102"
    `)
  })

  it('plays deliveries as they were received: their window is open, and their bursts and taps are the original ones', async () => {
    const tapped = {
      type: 'interactive',
      interactive: { type: 'button_reply', button_reply: { id: '', title: 'The first' } },
    }
    tapped.interactive.button_reply.id = '~track.eyJvcmRlciI6Ijc3ODEifQ.tdvvv0.AAAAAAAAAAAAAAAA'
    const steps = [
      delivered(0, 'a'),
      delivered(500, 'b'),
      delivered(1_000, 'hours', JUMA),
      delivered(10_000, 'order'),
      delivered(20_000, tapped),
      delivered(30_000, tapped, JUMA),
    ]
    expect(await played(recording(...steps))).toMatchInlineSnapshot(`
      "2026-11-22T09:00:00.000Z 255712000101 message.received "a"
      2026-11-22T09:00:00.500Z 255712000101 message.received "b"
      2026-11-22T09:00:01.000Z 255712000102 message.received "hours"
        → "2 messages" to 255712000101
        → "9 to 17" to 255712000102
      2026-11-22T09:00:10.000Z 255712000101 message.received "order"
        → interactive "Which one?" [The first] [Another] to 255712000101
      2026-11-22T09:00:20.000Z 255712000101 message.received
        → "Order 7781 is on its way" to 255712000101
      2026-11-22T09:00:30.000Z 255712000102 message.received
        → "Too old" to 255712000102"
    `)
  })

  it('records a failure and continues: a handler that throws, an option that no phone shows', async () => {
    const told = recording(
      { kind: 'text', ...at(0), customer: ASHA, text: 'broken' },
      { kind: 'tap', ...at(10_000), customer: ASHA, option: 'Pay' },
      { kind: 'text', ...at(2 * 86_400_000), customer: ASHA, text: 'hours' },
    )
    const transcript = await played(told)
    expect(transcript).toMatch(/TypeError: no price/)
    expect(transcript).toContain('  ! the phone shows no option "Pay"; it shows: nothing')
    expect(transcript).toMatch(/says "hours"\n {2}→ "9 to 17" to 255712000101$/)
  })

  it('returns the same text for the same bot, and another one for a bot that replies otherwise', async () => {
    const told = recording(delivered(0, 'hours'), delivered(60_000, 'hours', JUMA))
    const transcript = await played(told)
    expect(await played(told)).toBe(transcript)
    expect(await played(told, shop({ hours: '10 to 18' }))).toBe(transcript.replaceAll('9 to 17', '10 to 18'))
  })

  it('reads a recording from its file, and may play several in a row', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'yesterday.json')
    writeFileSync(file, JSON.stringify(recording(delivered(0, 'hours'))))
    await using s = await scenario(shop())
    expect(await s.play(file)).toContain('9 to 17')
    expect(await s.play(recording(delivered(60_000, 'hours')))).toContain('9 to 17')
    await expect(s.play(file)).rejects.toThrow(
      "start the scenario earlier, scenario(bot, { at: '2026-11-22T09:00:00.000Z' })",
    )
    writeFileSync(file, '{')
    await expect(s.play(file)).rejects.toThrow(/yesterday\.json is not a recording: .*JSON/)
    await expect(s.play(join(folder, 'none.json'))).rejects.toMatchObject({ code: 'options_invalid' })
  })

  it('delivers to the number that a step names', async () => {
    const bot = createBot({ numbers: { sales: {}, repairs: {} } })
    bot.hears('hi', (ctx) => ctx.reply(`This is ${ctx.number}`))
    const steps = [
      { ...delivered(0, 'hi'), number: 'repairs' },
      { ...delivered(10_000, 'hi', JUMA), number: 'sales' },
    ]
    const transcript = await played(recording(...steps), bot)
    expect(transcript).toMatch(/repairs\n {2}→ "This is repairs" to \d+\n.*sales\n {2}→ "This is sales" to \d+$/)
    const unknown = await played(recording({ ...delivered(0, 'hi'), number: 'lost' }), bot)
    expect(unknown).toContain('  ! the number "lost" does not exist; the bot has sales, repairs')
  })
})

const text = { kind: 'text', at: '2026-11-22T09:00:00Z', customer: ASHA, text: 'hi' }

it.for<[string, unknown, RegExp]>([
  ['no object', [], /expected object/],
  ['another version', { ...recording(text), recording: 2 }, /expected 1, the version of this format: a newer file/],
  ['an unknown member', { ...recording(text), title: 'x' }, /Unrecognized key: "title"/],
  ['an unknown kind of step', recording({ ...text, kind: 'call' }), /→ at steps\[0\]\.kind/],
  ['a number with letters', recording({ ...text, customer: 'asha' }), /6 to 15 digits.*\n.*steps\[0\]\.customer/],
  ['no time', recording({ ...text, at: 'soon' }), /→ at steps\[0\]\.at/],
  ['a step before the last one', recording({ ...text, at: '2026-11-22T10:00:00Z' }, text), /steps in time order/],
  ['no span', recording({ kind: 'time', at: text.at, by: 'long' }), /expected a span such as '25h'/],
  ['a reply that is none', recording({ ...text, replies: [{ texts: 'x' }] }), /steps\[0\]\.replies\[0\]/],
])('refuses %s, and names the place', ([, json, message]) => {
  expect(() => readRecording(json)).toThrow(message)
  expect(() => readRecording(json)).toThrow(expect.objectContaining({ code: 'options_invalid' }))
})
