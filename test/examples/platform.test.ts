import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { tallyOf } from '../../examples/platform/play/phones.ts'
import { run } from '../kit/cli/support.ts'

const MAIN = resolve(import.meta.dirname, '../../examples/platform/play/main.ts')
const TALLY = /Orders written (\d+), answered on the phones (\d+): lost (\d+), doubled (\d+)\./

describe('the platform example', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchhook-platform-'))
    // PostgreSQL runs as another user if root runs the tests.
    chmodSync(folder, 0o777)
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const play = (...args: readonly string[]) =>
    run(process.execPath, ['--conditions=switchhook-source', MAIN, ...args], { TMPDIR: folder })

  const expectNothingLeft = async () => {
    expect(readdirSync(folder)).toEqual([])
    await expect.poll(() => processesThatName(folder)).toEqual([])
  }

  it('loses and doubles nothing while a worker and a receiver are killed, a tenant signs up and a secret changes [R DEL-01 DEL-02 IDEM-02]', async () => {
    await using playing = play('--for', '3s')
    const { code, stdout, stderr } = await playing.ended
    expect(stderr).toBe('')
    for (const news of ['worker 1 was killed', 'receiver 1 was killed', 'tenant-5 signed up', 'has another secret'])
      expect(stdout).toContain(news)
    const [, written, answered, lost, doubled] = TALLY.exec(stdout) ?? []
    expect({ answered, lost, doubled }).toEqual({ answered: written, lost: '0', doubled: '0' })
    expect(Number(written)).toBeGreaterThan(10)
    expect(code).toBe(0)
    await expectNothingLeft()
  })
})

/** The processes whose environment names a folder, where the system tells. */
function processesThatName(folder: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder)
    } catch {
      return false // it has ended meanwhile
    }
  })
}

describe('the tally of the platform example', () => {
  const AT = '2026-03-04T09:15:21Z'
  const says = (text: string) => ({ direction: 'INBOUND', text, at: AT })
  const shows = (text: string) => ({ direction: 'OUTBOUND', text, at: AT })
  const answered = [says('order 1 lime'), shows('1 lime: noted.'), shows('1 lime: ready.')]

  it('counts an order as answered if both messages are on the customer’s phone', () => {
    expect(tallyOf([answered])).toEqual({ written: 1, answered: 1, doubled: 0, oldest: Infinity })
    const other = [says('order 2 lime'), shows('2 lime: noted.')]
    expect(tallyOf([answered, other])).toEqual({ written: 2, answered: 1, doubled: 0, oldest: Date.parse(AT) })
    expect(tallyOf([answered.slice(0, 2), [shows('1 lime: ready.')]])).toMatchObject({ answered: 0 })
  })

  it('counts each message beyond the first as doubled, and a refused one as not shown', () => {
    expect(tallyOf([[...answered, shows('1 lime: ready.'), shows('1 lime: ready.')]])).toMatchObject({ doubled: 2 })
    const refused = { ...shows('1 lime: ready.'), refused: { status: 409 } }
    expect(tallyOf([[...answered.slice(0, 2), refused]])).toMatchObject({ answered: 0, doubled: 0 })
  })
})
