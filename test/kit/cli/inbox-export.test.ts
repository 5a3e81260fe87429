import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readRecording } from '../../../src/emulator/recording/recording.ts'
import { delivery, item, unclear } from '../../store/samples.ts'
import { inboxFolder } from './inbox-support.ts'
import { jsonLines, spawnSwitchhook } from './support.ts'

const { inbox, came, inApp, folder } = inboxFolder()

const PHONE = '255712345678'

describe('switchhook inbox export', () => {
  it('ends when its reader goes away, and not after the last delivery', async () => {
    await inApp((store) =>
      Promise.all(Array.from({ length: 4_000 }, () => store.accept(delivery({ receivedAt: Date.now() })))),
    )
    const running = spawnSwitchhook(['inbox', 'export', '--reveal'], {}, folder())
    await running.line('stdout')
    running.child.stdout?.destroy()
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('writes received deliveries in the order of arrival, with texts and so only with --reveal [F-87]', async () => {
    for (const text of ['one', 'two']) await came([], { text, event: 'order.paid' })
    await came([item({ customer: PHONE })], { body: Buffer.from(JSON.stringify({ from: PHONE, text: 'mpya' })) })
    await inApp((store) => store.accept(unclear()))
    await came([], { body: Buffer.from('no JSON') })
    await came([], { body: Buffer.from('{"status":"read"}'), event: 'message.status' })
    expect(await inbox('export')).toMatchObject({ code: 4, stdout: '' })
    const [all, none] = await Promise.all([inbox('export', '--reveal'), inbox('export', '--reveal', '--since', '0s')])
    expect(readRecording(JSON.parse(all.stdout)).steps).toMatchObject([
      { event: 'order.paid', payload: { text: 'one' } },
      { event: 'order.paid', payload: { text: 'two' } },
      { event: 'message.received', customer: PHONE, payload: { from: PHONE } },
    ])
    expect(all.stderr).toBe(
      "3 deliveries, with phone numbers and texts; 2 left out: about the bot's own messages, of forgotten customers, or not JSON objects.\n",
    )
    expect(readRecording(JSON.parse(none.stdout)).steps).toEqual([])
  })

  it('contains no message that waits to be erased, with or without --customer', async () => {
    await came([item({ customer: PHONE })], { text: 'canary' })
    await inApp((store) => store.forget({ number: 'default', customer: PHONE }, Date.now()))
    await came([item({ customer: PHONE })], { text: 'later' })
    for (const flags of [['--reveal'], ['--customer', PHONE]]) {
      const { stdout } = await inbox('export', ...flags)
      expect([stdout.includes('later'), stdout.includes('canary')]).toEqual([true, false])
    }
  })

  it('writes a new file, readable only by its owner, and never overwrites one', async () => {
    await came([], { text: 'habari', event: 'order.paid' })
    const out = join(folder(), 'recording.json')
    const { code, stdout, stderr } = await inbox('export', '--reveal', '--out', out, '--json')
    expect([code, stderr]).toEqual([0, ''])
    expect(jsonLines(stdout)).toEqual([{ out, written: 1, leftOut: 0 }])
    const { steps } = readRecording(JSON.parse(readFileSync(out, 'utf8')))
    expect(steps).toMatchObject([{ kind: 'delivery', event: 'order.paid', payload: { text: 'habari' }, replies: [] }])
    expect(statSync(out).mode & 0o777).toBe(0o600)
    writeFileSync(out, 'worked on')
    const again = await inbox('export', '--reveal', '--out', out)
    expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('it exists already') })
    expect(readFileSync(out, 'utf8')).toBe('worked on')
  })
})
