import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { buttons, createBot, template } from 'switchhook'
import { type PlayFile, PlayFailed, readPlayFile, scenario, type TurnMatchers, turnMatchers } from 'switchhook/testing'
import { ASHA, JUMA } from '../support/people.ts'

declare module 'vitest' {
  interface Matchers<R, T> extends TurnMatchers<R> {}
}

expect.extend(turnMatchers)

function shop() {
  const bot = createBot()
  bot.hears('hours', (ctx) => ctx.reply('9 to 17'))
  bot.tapped('track', (ctx) => ctx.reply('On its way'))
  bot.received('image', (ctx) => ctx.reply(`What a ${ctx.message.media.caption}!`))
  bot.on('order.ready', (ctx) =>
    ctx.to(JUMA).send('It is ready.', { outsideWindow: template('ready', 'sw', { body: ['7781'] }) }),
  )
  bot.otherwise((ctx) => ctx.reply(buttons('How can we help?', [{ id: 'track', title: 'Track order' }])))
  return bot
}

const file = (...steps: PlayFile['steps'][number][]): PlayFile => ({ switchhook: 1, name: 'a day in the shop', steps })

const failureOf = (played: Promise<unknown>) =>
  played.then(
    () => undefined,
    (error: unknown) => error as PlayFailed,
  )

it('plays every kind of step: texts, taps by id and title, media, events, time', async () => {
  await using s = await scenario(shop())
  await s.play({
    ...file(
      { customer: ASHA, says: 'hours', expect: [{ text: '9 to 17', kind: 'text', to: ASHA }] },
      { customer: ASHA, says: 'hi', expect: [{ text: 'How can we help?', options: ['Track order'] }] },
      { customer: ASHA, taps: 'track', expect: [{ text: 'On its way' }] },
      { customer: ASHA, taps: 'Track order', expect: [{ text: 'On its way' }] },
      {
        customer: ASHA,
        sends: { kind: 'image', url: 'https://media.example/1.jpg', caption: 'shoe' },
        expect: [{ text: 'What a shoe!' }],
      },
      { advance: '25h', expect: [] },
      {
        event: 'order.ready',
        payload: {},
        expect: [
          { to: JUMA, text: 'It is ready.', refused: 'outside_messaging_window' },
          { to: JUMA, template: { name: 'ready', language: 'sw', body: ['7781'] }, text: 'Oda 7781 iko tayari' },
        ],
      },
      { customer: ASHA, says: 'hours' },
    ),
    templates: [{ name: 'ready', language: 'sw', body: 'Oda {{1}} iko tayari' }],
  })
  expect(s.customer(ASHA).last?.text).toBe('9 to 17')
})

it('a file may name templates that the scenario has already, and be played twice', async () => {
  const ready = { name: 'ready', language: 'sw', body: 'Oda {{1}} iko tayari' }
  await using s = await scenario(shop(), { templates: [ready] })
  const told = { ...file({ event: 'order.ready', payload: {}, expect: [{ refused: 'outside_messaging_window' }, {}] }) }
  await s.play({ ...told, templates: [ready] })
  await s.advance('1s')
  await s.play({ ...told, templates: [ready] })
})

it('fails at the first step that brings something else, and shows the difference line by line', async () => {
  await using s = await scenario(shop())
  const failure = await failureOf(
    s.play(
      file(
        { customer: ASHA, says: 'hours', expect: [{ text: '9 to 17' }] },
        { customer: ASHA, says: 'hi', expect: [{ options: ['Track order', 'Hours'] }, { text: 'Bye' }] },
        { customer: ASHA, says: 'never said' },
      ),
    ),
  )
  expect(failure).toBeInstanceOf(PlayFailed)
  expect(failure).toMatchObject({ code: 'play_failed', step: 2 })
  expect(failure?.message).toBe(
    `"a day in the shop" falls at step 2 of 3, ${ASHA} says "hi":
  - expected [Track order] [Hours]
  + came     interactive "How can we help?" [Track order] to ${ASHA}
  - expected "Bye"
  + came     nothing more`,
  )
  expect(s.customer(ASHA).thread).toHaveLength(4)
})

it('an additional message fails the step too', async () => {
  await using s = await scenario(shop())
  const failure = await failureOf(s.play(file({ customer: ASHA, says: 'hours', expect: [] })))
  expect(failure?.message).toContain(`- expected nothing more\n  + came     "9 to 17" to ${ASHA}`)
})

it('a refusal that was not expected fails the step too', async () => {
  await using s = await scenario(shop(), {
    templates: [{ name: 'ready', language: 'sw', body: 'Oda {{1}} iko tayari' }],
  })
  const expected = [{ text: 'It is ready.' }, { template: { name: 'ready' } }]
  const failure = await failureOf(s.play(file({ event: 'order.ready', payload: {}, expect: expected })))
  expect(failure?.message).toContain(
    `- expected "It is ready."\n  + came     "It is ready." to ${JUMA} refused as outside_messaging_window`,
  )
})

it('a step whose turn fails fails with the turn’s message and cause', async () => {
  const bot = createBot({ attempts: { max: 1 } })
  bot.otherwise(() => {
    throw new RangeError('the till is closed')
  })
  await using s = await scenario(bot)
  const failure = await failureOf(s.play(file({ customer: ASHA, says: 'pay' })))
  expect(failure?.message).toMatch(
    /falls at step 1 of 1, 255712000101 says "pay":\nmessage\.received of .*the till is closed/,
  )
  expect(failure?.cause).toMatchObject({ code: 'turn_failed', cause: new RangeError('the till is closed') })
})

it('writes to one of several numbers by its name, or by its id as a recorder knows it', async () => {
  const bot = createBot({ numbers: { retail: {}, wholesale: { phoneNumberId: '55501' } } })
  bot.otherwise((ctx) => ctx.reply(ctx.number))
  await using s = await scenario(bot)
  await s.play(
    file(
      { customer: ASHA, says: 'who', expect: [{ text: 'retail' }] },
      { customer: ASHA, number: 'wholesale', says: 'who', expect: [{ text: 'wholesale' }] },
      { customer: ASHA, number: '55501', says: 'who', expect: [{ text: 'wholesale' }] },
    ),
  )
})

it('each turn lists all messages that went out, to anyone, and refused ones', async () => {
  await using s = await scenario(shop(), {
    templates: [{ name: 'ready', language: 'sw', body: 'Oda {{1}} iko tayari' }],
  })
  const turn = await s.event('order.ready', {})
  expect(turn.text).toBe('Oda 7781 iko tayari')
  expect(turn.replies).toMatchObject([{ to: JUMA, kind: 'template' }])
  expect(turn.sent).toMatchObject([{ to: JUMA, refused: { code: 'outside_messaging_window' } }, { to: JUMA }])
  expect(turn).toHaveSent([{ refused: 'outside_messaging_window' }, { template: { name: 'ready' } }])
  expect(await s.advance('1h')).toHaveSent([])
})

it('toHaveSent shows the difference', async () => {
  await using s = await scenario(shop())
  const turn = await s.customer(ASHA).says('hours')
  expect(turn).toHaveSent([{ text: '9 to 17' }])
  expect(turn).not.toHaveSent([{ text: '9 to 18' }])
  expect(turn).not.toHaveSent([])
  expect(() => expect(turn).toHaveSent([{ text: '9 to 18' }])).toThrow(
    `the turn sent something else:\n  - expected "9 to 18"\n  + came     "9 to 17" to ${ASHA}`,
  )
})

const step = { customer: ASHA, says: 'hi' }

it.for<[string, unknown, string]>([
  ['no object', 5, 'the file: expected object, received number'],
  ['a later version', { ...file(step), switchhook: 2 }, 'switchhook: expected 1, the version of this form'],
  ['no name', { switchhook: 1, steps: [step] }, 'name: expected string, and it is missing'],
  ['no steps', file(), 'steps: expected at least one step'],
  ['a word too much', { ...file(step), at: 'noon' }, 'the file: there is no "at" here'],
  [
    'a step that is none',
    file('hi' as never),
    'steps[0]: expected one of says, taps, sends, writes, event, advance, got "hi"',
  ],
  ['a step without an act', file(step, { customer: ASHA } as never), 'steps[1]: expected one of says, taps, sends, '],
  ['two acts in one', file({ ...step, taps: 'x' }), 'got customer, says, taps'],
  [
    'a customer',
    file({ ...step, customer: '+255' }),
    'steps[0].customer: expected the 6 to 15 digits of a phone number',
  ],
  ['a span', file({ advance: '25 hours' }), "steps[0].advance: expected a span such as '90s' or '25h'"],
  ['a payload', file({ event: 'order.paid', payload: [] as never }), 'steps[0].payload: expected record'],
  [
    'media',
    file({ customer: ASHA, sends: { kind: 'image', url: 'file:///etc/passwd' } }),
    'steps[0].sends.url: expected an http or https address',
  ],
  [
    'an expectation',
    file({ ...step, expect: [{}, { text: 5 as never }] }),
    'steps[0].expect[1].text: expected string, received number',
  ],
  [
    'a misspelt expectation',
    file({ ...step, expect: [{ txt: 'x' } as never] }),
    'steps[0].expect[0]: there is no "txt" here',
  ],
  [
    'a template without a text',
    { ...file(step), templates: [{ name: 'a', language: 'sw' }] },
    'templates[0].body: expected string, and it is missing',
  ],
])('refuses %s by its path', ([, json, message]) => {
  expect(() => readPlayFile(json)).toThrow(message)
  expect(() => readPlayFile(json)).toThrow(expect.objectContaining({ code: 'options_invalid' }))
})

it('plays what is written in a row at once: one turn for a bot that gathers', async () => {
  const bot = createBot({ burst: { quiet: '1500ms' } })
  bot.otherwise((ctx) => ctx.reply(ctx.messages.map(({ text, media }) => text ?? media?.caption).join(', ')))
  await using s = await scenario(bot)
  const photo = { kind: 'image', url: 'https://media.example/1.jpg', caption: 'the sole' } as const
  await s.play(
    file(
      {
        customer: ASHA,
        writes: [{ says: 'It is torn' }, { sends: photo }],
        expect: [{ text: 'It is torn, the sole' }],
      },
      { advance: '1m', expect: [] },
    ),
  )
})

it('accepts a valid file unchanged', () => {
  const whole = {
    ...file(
      { ...step, number: 'sales', expect: [{ to: JUMA, text: '', kind: 'text', options: [], refused: 'x' }] },
      { customer: ASHA, sends: { kind: 'audio', url: 'https://a.example/v', durationMs: 900 } },
      {
        customer: ASHA,
        writes: [{ says: 'hi' }, { sends: { kind: 'image', url: 'https://a.example/i' } }],
        expect: [],
      },
      { event: 'order.paid', payload: { id: null }, expect: [] },
      { advance: '90s' },
    ),
    templates: [
      { name: 'a', language: 'sw', body: 'x', category: 'MARKETING' },
      { name: 'b', language: 'sw', category: 'AUTHENTICATION' },
    ],
  }
  expect(readPlayFile(JSON.parse(JSON.stringify(whole)))).toEqual(whole)
})

it('the conversation in the docs is valid and plays', async () => {
  const page = readFileSync(`${import.meta.dirname}/../../docs/testing.md`, 'utf8')
  const json = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  const bot = createBot()
  bot.tapped('track', (ctx) => ctx.reply('On its way'))
  bot.otherwise((ctx) => ctx.reply(buttons('How can we help?', [{ id: 'track', title: 'Track order' }])))
  await using s = await scenario(bot)
  await s.play(JSON.parse(json))
  expect(s.customer(ASHA).thread.map(({ text }) => text)).toEqual([
    'hi',
    'How can we help?',
    'Track order',
    'On its way',
    '',
    'How can we help?',
  ])
})
