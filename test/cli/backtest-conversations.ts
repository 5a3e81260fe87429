import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { ASHA, openWorld } from '../support/world.ts'
import { addFitting, FRIEND } from './backtest-fitting.ts'
import { switchhook } from './support.ts'

/** Has a bot over this database hold two conversations with effects, records them, and expects that none runs again. */
export async function expectNoEffectAgain(database?: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-recording-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  let hats = 0
  const routes: Parameters<typeof openWorld>[0] = (bot) => addFitting(bot, { word: 'fit', keep: () => `hat-${++hats}` })
  await using world = await openWorld(routes, database === undefined ? {} : { options: { database } })
  const says = async (customer: string, text: string, replies: number) => {
    await world.emulator.customer(customer).says(text)
    await world.until(async () => (await world.replies(customer)).length === replies)
  }
  await says(ASHA, 'fit', 1)
  await says(ASHA, 'M', 2)
  await world.emulator.customer(FRIEND).says('hello')
  await world.emulator.customer(ASHA).says('gift')
  await world.until(async () => (await world.replies(FRIEND)).length === 1)
  await says(FRIEND, 'XL', 2)
  const talks = [await world.replies(ASHA), await world.replies(FRIEND)]
  expect(talks.flat()).toEqual(['Which size?', 'We keep hat-1 in M.', 'Which size?', 'We keep hat-2 in XL.'])
  await world.bot.stop()

  const effects = join(folder, 'effects')
  writeFileSync(effects, '')
  const bot = fileURLToPath(new URL('backtest-bot.ts', import.meta.url))
  const app = ['--', process.execPath, '--conditions=switchhook-source', bot]
  for (const VERSION of ['first', 'route']) {
    const source = ['--database', database ?? world.database, '--out', `${VERSION}.json`]
    const { code, stderr } = await switchhook(
      ['backtest', 'record', ...source, ...app],
      { VERSION, EFFECTS: effects },
      folder,
    )
    expect([code, stderr]).toEqual([0, expect.stringContaining('5 deliveries played')])
    const { runs } = JSON.parse(readFileSync(join(folder, `${VERSION}.json`), 'utf8')) as {
      runs: { played: { said: { to: string; text: string }[] }[] }[]
    }
    for (const { played } of runs) {
      const said = played.flatMap((one) => one.said).filter(({ text }) => text.startsWith('We keep'))
      expect(said).toMatchObject([
        { to: ASHA, text: 'We keep hat-1 in M.' },
        { to: FRIEND, text: 'We keep hat-2 in XL.' },
      ])
    }
    expect(readFileSync(effects, 'utf8')).toBe('')
  }
}
