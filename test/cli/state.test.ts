import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { beside, CUSTOMER } from './emulator-support.ts'

const { emulator, folder, run } = beside()

const said = async () => (await emulator().customer(CUSTOMER).thread()).map(({ text }) => text)

describe('switchhook state', () => {
  it('keeps what the emulator knows in a file of its owner alone, clears it, and brings it back', async () => {
    await emulator().customer(CUSTOMER).says('hours')
    const kept = await run(['state', 'export', 'before.json'])
    expect([kept.code, kept.stdout]).toEqual([0, ''])
    expect(statSync(join(folder(), 'before.json')).mode & 0o777).toBe(0o600)
    expect((await run(['state', 'reset'])).code).toBe(0)
    expect(await said()).toEqual([])
    const back = await run(['state', 'import', 'before.json', '--json'])
    expect(Object.keys(JSON.parse(back.stdout))).toEqual(['now', 'offsetMs'])
    expect(await said()).toEqual(['hours'])
  })

  it('goes through a pipe', async () => {
    await emulator().customer(CUSTOMER).says('hours')
    const { stdout } = await run(['state', 'export'])
    await emulator().reset()
    expect((await run(['state', 'import', '-'], {}, { stdin: stdout })).code).toBe(0)
    expect(await said()).toEqual(['hours'])
  })

  it('takes the place of an older state, and of nothing else', async () => {
    expect((await run(['state', 'export', 'a.json'])).code).toBe(0)
    expect((await run(['state', 'export', 'a.json'])).code).toBe(0)
    writeFileSync(join(folder(), 'notes.json'), '{"mine":true}')
    const { code, stderr } = await run(['state', 'export', 'notes.json'])
    expect([code, stderr]).toEqual([
      1,
      'switchhook: the state cannot be written to notes.json: it is there already and holds no state; name another\n',
    ])
    expect(readFileSync(join(folder(), 'notes.json'), 'utf8')).toBe('{"mine":true}')
  })

  it('exits with 2 for what is no state, and the emulator stays as it is', async () => {
    await emulator().customer(CUSTOMER).says('hours')
    writeFileSync(join(folder(), 'x.json'), '{"version":2}')
    writeFileSync(join(folder(), 'y.json'), 'no')
    for (const file of ['x.json', 'y.json', 'missing.json']) {
      const { code, stdout, stderr } = await run(['state', 'import', file])
      expect([code, stdout], file).toEqual([2, ''])
      expect(stderr).toMatch(/^switchhook: .*\n$/)
    }
    expect(await said()).toEqual(['hours'])
  })
})
