import { describe, expect, it } from 'vitest'
import { runApp } from '../../../src/kit/cli/dev/app.ts'
import { closed } from '../../support/listening.ts'

/** Starts an app that says nothing to SIGTERM, and waits until it has said that it is ready. */
async function stubborn(command: readonly string[]) {
  const ready = Promise.withResolvers<void>()
  const app = runApp({ process }, command, {}, () => ready.resolve())
  await ready.promise
  return app
}

const IGNORES = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready')"

describe('the app beside the emulator', () => {
  it('is killed if it does not end in time', async () => {
    const app = await stubborn([process.execPath, '-e', IGNORES])
    await app.stop({ patienceMs: 20 })
    expect(await app.ended).toEqual({ code: 137, message: 'The app was terminated by SIGKILL.' })
  })

  it('is killed at once if a second signal arrives', async () => {
    const app = await stubborn([process.execPath, '-e', IGNORES])
    await app.stop({ hurryRequested: Promise.resolve() })
    expect((await app.ended).code).toBe(137)
  })

  it.skipIf(process.platform === 'win32')('is ended together with the children of its shell', async () => {
    const port = Promise.withResolvers<number>()
    const listens = 'const s = require(`node:net`).createServer().listen(0, () => console.log(s.address().port))'
    const app = runApp({ process }, ['sh', '-c', `"${process.execPath}" -e '${listens}'; echo after`], {}, (line) =>
      port.resolve(Number(line)),
    )
    const behind = await port.promise
    await app.stop()
    await closed(behind)
  })

  it('has the lines of a JSON log shown in readable form, with the stack of an error that was not logged before', async () => {
    const about = { time: 1, pid: 2, hostname: 'h', name: 'switchhook' }
    const stack = 'TypeError: no price\n    at price (bot.ts:3:9)'
    const err = { name: 'TypeError', message: 'no price' }
    const log = [
      { level: 30, ...about, msg: 'started', port: 3000 },
      { level: 40, ...about, msg: 'a handler failed', route: 'hears:price', err: { ...err, stack } },
      { level: 40, ...about, msg: 'a handler failed', times: 2, err: { ...err, stack: '' } },
    ].map((line) => JSON.stringify(line))
    const lines: string[] = []
    const script = `for (const line of ${JSON.stringify([...log, '{'])}) console.log(line)`
    const app = runApp({ process }, [process.execPath, '-e', script], {}, (line) => lines.push(line))
    expect((await app.ended).code).toBe(0)
    await app.stop()
    expect(lines).toEqual([
      'info  started  port=3000',
      `warn  a handler failed  route=hears:price\n${stack}`,
      'warn  a handler failed  times=2',
      '{',
    ])
  })
})
