import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { unavailable } from '../../../src/store/sqlite/connection.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchhook-native-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What the driver itself throws with such a native part. */
function thrownWith(nativeBinding: string): unknown {
  try {
    new Database(':memory:', { nativeBinding }).close()
  } catch (error) {
    return error
  }
  throw new Error('it was loaded')
}

describe('a driver without its native part', () => {
  const foreign = join(folder, 'better_sqlite3.node')
  writeFileSync(foreign, 'of another machine')

  it.each([
    ['missing, as in a bundle', join(folder, 'missing.node')],
    ["another machine's, as in a copied node_modules", foreign],
  ])('is named, with the platform and the fix, and no file is blamed: %s', (_, nativeBinding) => {
    const { code, message } = unavailable('/data/bot.db', thrownWith(nativeBinding))
    expect(code).toBe('store_unavailable')
    expect(message).toContain(`better-sqlite3 has no native part that works on this machine (${process.platform}-`)
    expect(message).toContain('npm ci')
    expect(message).not.toContain('/data/bot.db')
  })

  it('is not blamed for a file that cannot be opened', () => {
    const { message } = unavailable(join(folder, 'bot.db'), Object.assign(new Error('no'), { code: 'SQLITE_CANTOPEN' }))
    expect(message).toContain('bot.db cannot be opened: no')
  })
})
