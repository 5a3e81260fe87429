import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { packResult } from '../../src/base/kept-result.ts'
import type { Store } from '../../src/stores/port/index.ts'
import { said } from '../backtest/support.ts'
import { delivery, idOf, ingested, item } from '../stores/samples.ts'
import { expectNoEffectAgain } from './backtest-conversations.ts'
import { databaseFolder } from './database-folder.ts'
import { jsonLines, switchhook } from './support.ts'

const { file, folder, inApp } = databaseFolder()
const root = fileURLToPath(new URL('../..', import.meta.url))
const NODE = [process.execPath, '--conditions=switchhook-source']
const SHOP = ['--', ...NODE, join(root, 'test/cli/backtest-bot.ts')]
const AUTO_REPLY = ['--', ...NODE, join(root, 'examples/auto-reply/bot.ts')]
const LIVE = { SWITCHHOOK_BASE_URL: 'https://live.example', SWITCHHOOK_ACCESS_TOKEN: 'live', SWITCHHOOK_DATABASE: '' }

const backtest = (args: readonly string[], env: Record<string, string> = {}) =>
  switchhook(['backtest', ...args], { ...LIVE, ...env }, folder())
const recorded = () => backtest(['record', '--database', file(), '--out', 'before.json', ...SHOP])
const compared = (env: Record<string, string> = {}, ...flags: string[]) =>
  backtest(['compare', 'before.json', ...flags, ...SHOP], env)

/** Texts of customers, as a bot has stored them; the ids of their deliveries are those of `idOf(1)` on. */
async function came(store: Store, texts: readonly string[]): Promise<void> {
  for (const [index, text] of texts.entries()) {
    const one = said(text, index * 60_000, { from: `25571200010${index}` })
    await store.accept(
      delivery({ deliveryId: idOf(index + 1), body: Buffer.from(one.body), receivedAt: one.at, event: one.event }),
    )
  }
}

const digest = () => createHash('sha256').update(readFileSync(file())).digest('hex')

describe('switchhook backtest', () => {
  it('finds no difference between a bot and itself, in the shop of the examples as it stands', async () => {
    const texts = ['hours', '7781', 'saa', 'habari', '7799', 'hours']
    await inApp((store) => came(store, texts))
    const before = digest()
    const first = await backtest(['record', '--database', file(), '--out', 'before.json', ...AUTO_REPLY])
    expect([first.code, first.stdout]).toEqual([0, ''])
    expect(first.stderr).toBe('6 deliveries played, in before.json with all texts.\n')
    expect(statSync(join(folder(), 'before.json')).mode & 0o777).toBe(0o600)
    const second = await backtest(['compare', 'before.json', ...AUTO_REPLY])
    expect(second).toEqual({ code: 0, stdout: '6 played: 6 same, 0 changed, 0 not repeatable.\n', stderr: '' })
    expect(digest()).toBe(before)
    const recording = JSON.parse(readFileSync(join(folder(), 'before.json'), 'utf8')) as {
      runs: { played: { said: { text: string }[] }[] }[]
    }
    expect(recording.runs[0]?.played[1]?.said).toMatchObject([{ text: 'Order 7781 is ready to be picked up.' }])
  })

  it('tells exactly what a changed text, a changed route and a handler that throws have changed', async () => {
    await inApp((store) => came(store, ['hours', 'hats', 'price', 'hours', 'habari']))
    expect((await recorded()).code).toBe(0)
    const [text, route, throws] = await Promise.all(
      ['text', 'route', 'throws'].map((VERSION) => compared({ VERSION }, '--json', '--reveal')),
    )
    expect([text?.code, route?.code, throws?.code]).toEqual([1, 1, 1])
    const changed = (ids: readonly string[]) => ({ kind: 'score', deliveries: 5, same: 5 - ids.length, changed: ids })
    expect(jsonLines(text?.stdout ?? '')).toEqual([
      {
        kind: 'finding',
        is: 'different',
        route: 'hears:hours',
        parts: [
          { in: 'both', text: 'We are open from ' },
          { in: 'before', text: '9' },
          { in: 'after', text: '8' },
          { in: 'both', text: ' to 17.' },
        ],
        ids: [idOf(1), idOf(4)],
      },
      { ...changed([idOf(1), idOf(4)]), notRepeatable: [] },
    ])
    expect(jsonLines(route?.stdout ?? '')).toEqual([
      expect.objectContaining({
        is: 'other_route',
        parts: [
          { in: 'before', text: 'hears:hats' },
          { in: 'after', text: 'otherwise' },
        ],
        ids: [idOf(2)],
      }),
      { ...changed([idOf(2)]), notRepeatable: [] },
    ])
    const findings = jsonLines(throws?.stdout ?? '')
    expect(findings).toContainEqual(
      expect.objectContaining({
        is: 'failed',
        route: 'hears:price',
        parts: [{ in: 'after', text: 'dead: TypeError: no price of Asha' }],
        ids: [idOf(3)],
      }),
    )
    expect(findings).toContainEqual(expect.objectContaining({ is: 'missing', route: 'hears:price' }))
    expect(findings.at(-1)).toEqual({ ...changed([idOf(3)]), notRepeatable: [] })
  })

  it('says how many deliveries failed, though both versions fail at them alike and nothing differs', async () => {
    await inApp((store) => came(store, ['hours', 'price']))
    const told = `Some failed with this code: 1 dead, first ${idOf(2)}. What fails alike before and after counts as the same.\n`
    const first = await backtest(['record', '--database', file(), '--out', 'before.json', ...SHOP], {
      VERSION: 'throws',
    })
    expect([first.code, first.stderr]).toEqual([0, `2 deliveries played, in before.json with all texts.\n${told}`])
    const second = await compared({ VERSION: 'throws' })
    expect(second).toEqual({ code: 0, stdout: '2 played: 2 same, 0 changed, 0 not repeatable.\n', stderr: told })
  })

  it('runs no effect again whose result is stored, and says nothing to the world outside', async () => {
    let called = 0
    const live = createServer((_, response) => void (called++, response.end()))
    await new Promise<void>((done) => live.listen(0, '127.0.0.1', done))
    const effects = join(folder(), 'effects')
    writeFileSync(effects, '')
    await inApp(async (store) => {
      await came(store, ['buy', 'pay', 'where'])
      await store.ingest(1, ingested(item()), Date.now())
      const { held } = await store.claimItems({ owner: 'app', limit: 1, now: Date.now(), leaseMs: 10_000 })
      for (const { fence, work } of held)
        await store.keepOnce(fence, work.id, 'hears:buy/order', packResult('order', 'order-1'))
    })
    const { code, stderr } = await backtest(['record', '--database', file(), '--out', 'before.json', ...SHOP], {
      EFFECTS: effects,
    })
    live.close()
    expect([code, called]).toEqual([0, 0])
    expect(stderr).toContain('The app was kept from calling 203.0.113.7 (1): --allow HOST')
    expect(readFileSync(effects, 'utf8')).toBe('')
    const { runs } = JSON.parse(readFileSync(join(folder(), 'before.json'), 'utf8')) as {
      runs: { played: { said: { text: string }[] }[] }[]
    }
    const texts = runs[0]?.played.map(({ said: [first] }) => first?.text)
    expect(texts).toEqual(['Bought: order-1.', 'Paying: EBACKTEST.', 'true http://127.0.0.1:9'])
  })

  it('runs no effect of a conversation again whose result is stored, also if another route enters it now', async () => {
    await expectNoEffectAgain()
  })

  it('compares nothing that the same code does not answer twice alike, and says so', async () => {
    await inApp((store) => came(store, ['dice', 'hours']))
    expect((await recorded()).stderr).toContain('1 were not answered twice alike')
    const { code, stdout } = await compared()
    expect(code).toBe(0)
    expect(stdout).toContain('2 played: 1 same, 0 changed, 1 not repeatable.')
    expect(stdout).toContain(
      `not repeatable: the same code did not answer twice alike, so these were not compared: ${idOf(1)}`,
    )
  })

  it('masks texts, numbers and errors, on the page too, unless they are to be revealed [F-87]', async () => {
    await inApp((store) => came(store, ['hours', 'price']))
    await recorded()
    const masked = await compared({ VERSION: 'throws' }, '--html', 'report.html')
    const page = readFileSync(join(folder(), 'report.html'), 'utf8')
    for (const shown of [masked.stdout, page]) {
      expect(shown).toContain('hears:price')
      expect(shown).toContain('TypeError: [16 characters]')
      for (const secret of ['Asha', 'The price', '255712000101']) expect(shown).not.toContain(secret)
    }
    expect(page).toContain("default-src 'none'")
    expect(page).not.toMatch(/https?:\/\//)
    expect((await compared({ VERSION: 'text' }, '--reveal')).stdout).toContain('We are open from [-9-]{+8+} to 17.')
  })

  it('plays the deliveries that are asked for: by ids, by a period, of a file of fixtures', async () => {
    await inApp((store) => came(store, ['hours', 'hats', 'price']))
    const played = async (...args: string[]) => {
      const out = `out-${args.join('')}.json`.replaceAll('/', '')
      const { stdout, stderr } = await backtest(['record', '--out', out, '--json', ...args, ...SHOP])
      return [(jsonLines(stdout)[0] ?? {})['played'], stderr]
    }
    expect(await played('--database', file(), '--id', idOf(2), '--id', '3')).toEqual([2, ''])
    expect(await played('--database', file(), '--since', '1h')).toEqual([
      undefined,
      expect.stringContaining('there is no recorded delivery to play'),
    ])
    expect(await played('--database', file(), '--id', '99')).toEqual([
      undefined,
      expect.stringContaining('--id: delivery 99 is not there'),
    ])
    await switchhook(['inbox', 'export', '--database', file(), '--out', 'fixtures.jsonl'], {}, folder())
    expect(await played('--from', 'fixtures.jsonl')).toEqual([3, ''])
    const { deliveries } = JSON.parse(readFileSync(join(folder(), 'out---fromfixtures.jsonl.json'), 'utf8')) as {
      deliveries: { at: number }[]
    }
    expect(deliveries.map(({ at }) => at)).toEqual([0, 1, 2].map((index) => said('', index * 60_000).at))
  })

  it('exits with 2, says why and leaves nothing behind, if the app cannot be played', async () => {
    await inApp((store) => came(store, ['hours']))
    // Backtests of other tests run beside this one, in the folder for all temporary files.
    const TMPDIR = mkdtempSync(join(tmpdir(), 'switchhook-of-one-test-'))
    const record = (...command: string[]) =>
      backtest(['record', '--database', file(), '--out', 'before.json', '--', ...command], { TMPDIR })
    const ends = await record(process.execPath, '-e', 'console.error("no such table: hats"); process.exitCode = 3')
    expect([ends.code, ends.stdout]).toEqual([2, ''])
    expect(ends.stderr).toContain('the app has ended with 3 and played nothing')
    expect(ends.stderr).toContain('no such table: hats')
    const gone = await record('no-such-program')
    expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('no-such-program cannot be started')])
    const live = await record('env', 'SWITCHHOOK_BASE_URL=https://live.example', ...NODE, 'bot.ts')
    expect([live.code, live.stderr]).toEqual([4, expect.stringContaining('the command sets SWITCHHOOK_BASE_URL')])
    expect(existsSync(join(folder(), 'before.json'))).toBe(false)
    writeFileSync(join(folder(), 'other.json'), '{}')
    const other = await backtest(['compare', 'other.json', ...SHOP], { TMPDIR })
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('other.json is no recording')])
    expect(readdirSync(TMPDIR)).toEqual([])
    rmSync(TMPDIR, { recursive: true })
  })
})
