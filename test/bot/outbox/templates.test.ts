import { describe, expect, it } from 'vitest'
import { template } from '../../../src/service/template.ts'
import type { SendIntent } from '../../../src/bot/outbox/record-send.ts'
import { type Bench, caught, eachWithBench, type Process } from './bench.ts'
import { asksForTemplates, listed } from './service.ts'

const MINUTE = 60_000
const READY = template('order_ready', 'en', { body: ['7'] })

/** Two texts, so that it cannot be a template for codes. */
const DELIVERED = template('delivered', 'en', { body: ['7', 'Asha'] })

const PAUSED = listed({ status: 'PAUSED', sendable: false, unsendable_reason: 'paused for its quality' })

describe('a template, before it is sent', () => {
  let bench: Bench
  let problems: string[]
  eachWithBench((one) => {
    bench = one
    bench.service.templates = [listed()]
    problems = []
  })

  it.each([
    ['is not sendable, in the words of the list', [PAUSED], 'paused for its quality'],
    ['is listed without telling whether it may be sent', [listed({ sendable: undefined })], 'the list lacks'],
    [
      'is not there',
      [],
      'the template "order_ready" does not exist on this number; `switchhook templates pull` prints the types of existing ones',
    ],
    ['is there in another language alone', [listed({ language: 'sw' })], 'only in sw'],
    [
      'takes more than was given',
      [listed({ components: [{ type: 'BODY', text: '{{1}} {{2}}' }] })],
      'needs 2 parameters',
    ],
  ])('is refused if it %s, and nothing is recorded [B TPL-04, B TPL-08]', async (_, templates, words) => {
    bench.service.templates = templates
    const refused = caught(send(bench.boot(), { content: READY }))
    await bench.pass(0)
    expect(await refused).toMatchObject({ code: 'template_unsendable', message: expect.stringContaining(words) })
    expect((await bench.store.counts()).sends).toEqual({})
    expect(bench.service.asked).toEqual([])
  })

  it.each([
    ['flagged and sendable', listed({ status: 'FLAGGED' })],
    ['locked and sendable', listed({ status: 'LOCKED' })],
    ['not yet synchronised, so without a text', listed({ components: [], status: 'PENDING' })],
  ])('is judged by the list’s own member: %s [B TPL-04]', async (_, row) => {
    bench.service.templates = [row]
    expect(await done(send(bench.boot(), { content: READY }))).toMatchObject({ via: 'template' })
  })

  it('is left to the service if the list is not available [B TPL-04]', async () => {
    withoutList()
    const sent = send(bench.boot(), { content: DELIVERED })
    await bench.pass(10_000)
    expect(await sent).toMatchObject({ via: 'template' })
  })

  it('waits at most three seconds for a list that does not arrive [B TPL-04]', async () => {
    withoutList(() => new Promise<never>(() => {}))
    const sent = send(bench.boot(), { content: DELIVERED })
    await bench.pass(2_999)
    expect(bench.service.asked).toHaveLength(0)
    await bench.pass(1)
    expect(await sent).toMatchObject({ via: 'template' })
  })

  it('is refused while the list cannot be read, if it was never listed and could be one for codes [B OTP-06]', async () => {
    const list = withoutList()
    const process = bench.boot()
    const refused = caught(send(process, { content: READY }))
    await bench.pass(10_000)
    expect(await refused).toMatchObject({ code: 'template_unsendable', message: expect.stringContaining('the list') })
    const others = [template('notice', 'en', { body: ['see shop.example'] }), template('hello', 'en')]
    for (const [nth, content] of others.entries())
      expect(await after(send(process, { content, slot: `${nth}` }))).toMatchObject({ via: 'template' })
    // Its text is stored anyway, and no list may block a text.
    const options = { outsideWindow: READY }
    expect(await after(send(process, { options, slot: 'reply' }))).toMatchObject({ via: 'freeform' })
    list.back()
    await bench.pass(MINUTE)
    expect(await after(send(process, { content: READY }))).toMatchObject({ via: 'template' })
  })

  it('is judged by the category that was listed last, by an earlier process too, while the list cannot be read [B OTP-06]', async () => {
    const code = template('login', 'en', { body: ['004711'] })
    bench.service.templates = [listed(), listed({ name: 'login', category: 'AUTHENTICATION' })]
    await after(send(bench.boot(), { content: READY, slot: 'first' }))
    withoutList()
    const process = bench.boot({ strict: false })
    expect(await after(send(process, { content: READY, slot: 'second' }))).toMatchObject({ via: 'template' })
    for (const intent of [
      { content: code },
      { options: { outsideWindow: code } },
      { content: code, options: { at: '1h' } },
    ])
      expect(await after(caught(send(process, { ...intent, slot: 'code' } as Partial<SendIntent>)))).toMatchObject({
        code: 'template_unsendable',
        message: expect.stringContaining('one-time code'),
      })
    expect(JSON.stringify(await bench.store.listSends({ limit: 9 }))).not.toContain('004711')
  })

  it('is one for codes still when the list has it no more, as a fallback too [B OTP-06]', async () => {
    const code = template('login', 'en', { body: ['004711'] })
    bench.service.templates = [listed(), listed({ name: 'login', category: 'AUTHENTICATION' })]
    const process = bench.boot({ strict: false })
    await after(send(process, { content: READY, slot: 'first' }))
    bench.service.templates = [listed()]
    await bench.pass(11 * MINUTE)
    const refused = caught(send(process, { options: { outsideWindow: code }, slot: 'code' }))
    expect(await after(refused)).toMatchObject({ code: 'template_unsendable' })
  })

  it('is requested again before it is refused, at most every 5 s for one name [B TPL-04]', async () => {
    const { service, pass } = bench
    service.templates = [PAUSED]
    const process = bench.boot({ strict: false })
    const pickup = template('pickup', 'en', { body: ['7'] })
    expect(await done(caught(send(process, { content: READY })))).toMatchObject({ code: 'template_unsendable' })
    service.templates = [PAUSED, listed({ name: 'pickup' })]
    expect(await done(send(process, { content: pickup, slot: 'pickup' }))).toMatchObject({ via: 'template' })
    expect(service.templateCalls).toBe(2)
    service.templates = [listed()]
    await pass(4_999)
    expect(await done(caught(send(process, { content: READY })))).toMatchObject({ code: 'template_unsendable' })
    expect(service.templateCalls).toBe(2)
    await pass(1)
    expect(await done(send(process, { content: READY }))).toMatchObject({ via: 'template' })
    expect(service.templateCalls).toBe(3)
  })

  it('blocks no text in production if it is a fallback that would be refused, and is reported [B TPL-04]', async () => {
    bench.service.templates = [PAUSED]
    const process = bench.boot({ strict: false, report: reporting(problems) })
    expect(await done(send(process, { options: { outsideWindow: READY } }))).toMatchObject({ via: 'freeform' })
    expect(problems).toEqual([expect.stringContaining('paused for its quality')])
    const strict = caught(send(bench.boot(), { options: { outsideWindow: READY }, slot: 'another' }))
    expect(await done(strict)).toMatchObject({ code: 'template_unsendable' })
  })

  const filling = (value: string) => template('order_ready', 'en', { body: [value] })

  it.each([
    ['', 'is empty'],
    [' ', 'is empty'],
    ['\u200b', 'is empty'],
    ['\u2800', 'is empty'],
    ['7\n8', 'a newline'],
    ['7\r8', 'a newline'],
    ['7\u20288', 'a newline'],
    ['7\u0085', 'a newline'],
    ['7\t8', 'a tab'],
    ['7     8', 'four blanks'],
    ['7\u00a0\u00a0\u00a0\u00a0\u00a08', 'four blanks'],
  ])(
    'is refused for the parameter %j, by its place, unless the option leaves that to the service [B SEND-13]',
    async (value, why) => {
      const refused = caught(send(bench.boot(), { content: filling(value) }))
      const message = expect.stringMatching(new RegExp(`^body\\[0\\] of the template "order_ready" .*${why}`)) as string
      expect(await done(refused)).toMatchObject({ code: 'content_invalid', message })
      expect(bench.service.asked).toEqual([])
      const left = bench.boot({ templateParameters: 'send' })
      expect(await done(send(left, { content: filling(value) }))).toMatchObject({ via: 'template' })
    },
  )

  it.each([
    '7',
    '7 8',
    '7    8',
    ' 7',
    '7\u00a0',
    '.',
    '-',
    '0',
    '👍',
    'می\u200cخواهم',
    'https://shop.example/7?a=b',
    '{{1}}',
    '*bold*',
    'x'.repeat(900),
  ])('is not refused for the parameter %j [B SEND-13]', async (value) => {
    expect(await done(send(bench.boot(), { content: filling(value) }))).toMatchObject({ via: 'template' })
  })

  it('blocks no text in production if a parameter of the fallback would be refused [B SEND-13]', async () => {
    const process = bench.boot({ strict: false, report: reporting(problems) })
    const options = { outsideWindow: filling('') }
    expect(await done(send(process, { options }))).toMatchObject({ via: 'freeform' })
    expect(problems).toEqual([expect.stringContaining('body[0]')])
  })

  const HEADER = { type: 'HEADER', format: 'TEXT', text: 'Shop {{1}}' }
  const BODY = { type: 'BODY', text: 'Ready' }
  const PICTURE = { type: 'HEADER', format: 'IMAGE' }
  const BUTTONS = {
    type: 'BUTTONS',
    buttons: [
      { type: 'PHONE_NUMBER', text: 'Call', phone_number: '1' },
      { type: 'URL', text: 'Track', url: 'https://x.test/{{1}}' },
      { type: 'QUICK_REPLY', text: 'Stop' },
    ],
  }
  const address = 'https://shop.example/a.jpg'

  it.each<[string, object[], object, string]>([
    ['a header too many', [BODY], { header: 'Asha' }, 'the header .* needs 0 parameters, but 1'],
    [
      'two for a header of one',
      [HEADER, BODY],
      { header: ['Asha', 'Juma'] },
      'the header .* needs 1 parameters, but 2',
    ],
    ['no header', [HEADER, BODY], {}, 'the header .* needs 1 parameters, but 0'],
    ['a picture for a text', [HEADER, BODY], { header: { image: address } }, 'the header .* needs 1'],
    ['a text for a picture', [PICTURE, BODY], { header: 'Asha' }, 'the header .* needs one image'],
    ['a video for a picture', [PICTURE, BODY], { header: { video: address } }, 'the header .* needs one image'],
    ['no picture', [PICTURE, BODY], {}, 'the header .* needs one image'],
    ['a body too many', [BODY], { body: ['7'] }, 'the body .* needs 0 parameters, but 1'],
    ['no end of an address', [BODY, BUTTONS], {}, 'buttons\\[1\\] .* needs the end of its address'],
    ['an empty end of an address', [BODY, BUTTONS], { buttons: [null, ''] }, 'buttons\\[1\\] .* is empty'],
    ['the wrong place of a button', [BODY, BUTTONS], { buttons: ['7'] }, 'buttons\\[0\\]'],
    ['a payload for an address', [BODY, BUTTONS], { buttons: [null, { payload: 'x' }] }, 'buttons\\[1\\]'],
    ['an address for a quick reply', [BODY, BUTTONS], { buttons: [null, '7', '8'] }, 'buttons\\[2\\]'],
    ['a button too many', [BODY, BUTTONS], { buttons: [null, '7', null, '9'] }, 'buttons\\[3\\]'],
    ['a button of none', [BODY], { buttons: ['7'] }, 'buttons\\[0\\]'],
  ])('is refused for %s, before anything is sent [B SEND-12, B SEND-13]', async (_, components, params, words) => {
    bench.service.templates = [listed({ components })]
    const refused = caught(send(bench.boot(), { content: template('order_ready', 'en', params as never) }))
    expect(await done(refused)).toMatchObject({ message: expect.stringMatching(new RegExp(words)) as string })
    expect(bench.service.asked).toEqual([])
  })

  it.each<[string, object[], object]>([
    ['a header', [HEADER, BODY], { header: 'Asha' }],
    ['a picture', [PICTURE, BODY], { header: { image: address } }],
    ['an address', [BODY, BUTTONS], { buttons: [null, '7'] }],
    ['an address and a payload', [BODY, BUTTONS], { buttons: [null, '7', { payload: 'x' }] }],
    ['nothing', [BODY], {}],
  ])('is sent with %s that fits [B SEND-12, B SEND-13]', async (_, components, params) => {
    bench.service.templates = [listed({ components })]
    const content = template('order_ready', 'en', params as never)
    expect(await done(send(bench.boot(), { content }))).toMatchObject({ via: 'template' })
  })

  it('gives a rerun the recorded send, even if its template was paused since [B TPL-04, F-79]', async () => {
    const { service, pass } = bench
    const process = bench.boot()
    expect(await done(send(process, { content: READY }))).toMatchObject({ via: 'template', replayed: false })
    service.templates = [PAUSED]
    await pass(11 * MINUTE)
    expect(await done(send(process, { content: READY }))).toMatchObject({ via: 'template', replayed: true })
    expect(service.phone).toHaveLength(1)
    expect(service.templateCalls).toBe(2)
  })

  function send(process: Process, { content = 'ready', ...change }: Partial<SendIntent>) {
    return process.record(content, { cause: 'message:1', slot: 'x/reply#1', ...change })
  }

  /** Each request for the list fails, until it is back. */
  function withoutList(instead = async () => Response.json({ message: 'x' }, { status: 500 })) {
    const answering = bench.service.fetch
    bench.service.fetch = (...call) => (asksForTemplates(call[0]) ? instead() : answering(...call))
    return { back: () => (bench.service.fetch = answering) }
  }

  async function after<T>(sending: Promise<T>): Promise<T> {
    await bench.pass(10_000)
    return sending
  }

  async function done<T>(sending: Promise<T>): Promise<T> {
    await bench.pass(0)
    return sending
  }
})

function reporting(problems: string[]) {
  const nothing = () => {}
  const templateUnsendable = (_: unknown, problem: string) => void problems.push(problem)
  const others = { settled: nothing, diverged: nothing, unexpectedError: nothing, throttled: nothing, lost: nothing }
  return { ...others, templateUnsendable }
}
