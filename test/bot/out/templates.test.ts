import { describe, expect, it } from 'vitest'
import { template } from '../../../src/service/template.ts'
import type { SendIntent } from '../../../src/bot/out/record-send.ts'
import { type Bench, caught, eachWithBench, type Process } from './bench.ts'
import { asksForTemplates, listed } from './service.ts'

const MINUTE = 60_000
const READY = template('order_ready', 'en', { body: ['7'] })

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
    const answering = bench.service.fetch
    bench.service.fetch = async (...call) =>
      asksForTemplates(call[0]) ? Response.json({ message: 'x' }, { status: 500 }) : answering(...call)
    const sent = send(bench.boot(), { content: READY })
    await bench.pass(10_000)
    expect(await sent).toMatchObject({ via: 'template' })
  })

  it('waits at most three seconds for a list that does not arrive [B TPL-04]', async () => {
    const answering = bench.service.fetch
    bench.service.fetch = (...call) => (asksForTemplates(call[0]) ? new Promise<never>(() => {}) : answering(...call))
    const sent = send(bench.boot(), { content: READY })
    await bench.pass(2_999)
    expect(bench.service.asked).toHaveLength(0)
    await bench.pass(1)
    expect(await sent).toMatchObject({ via: 'template' })
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

  async function done<T>(sending: Promise<T>): Promise<T> {
    await bench.pass(0)
    return sending
  }
})

function reporting(problems: string[]) {
  const nothing = () => {}
  const templateUnsendable = (_: unknown, problem: string) => void problems.push(problem)
  return { settled: nothing, diverged: nothing, unexpectedError: nothing, throttled: nothing, templateUnsendable }
}
