import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { onSignals } from '../../../src/kit/cli/support/signals.ts'

function processBelow(ppid: number, env: Record<string, string>) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  return Object.assign(new EventEmitter(), { ...streams, ppid, env, cwd: () => '/', exit: () => {} })
}

it('the end of the shell of an npm script counts as SIGTERM, and that of another shell as nothing', async () => {
  const heard: string[] = []
  const [alone, script] = [processBelow(7, {}), processBelow(7, { npm_lifecycle_event: 'dev' })]
  using _alone = onSignals(alone, (signal) => heard.push(`alone ${signal}`))
  using _script = onSignals(script, (signal) => heard.push(`script ${signal}`))
  alone.ppid = script.ppid = 1
  await expect.poll(() => heard).toEqual(['script SIGTERM'])
  script.emit('SIGINT', 'SIGINT')
  alone.emit('SIGHUP', 'SIGHUP')
  expect(heard).toEqual(['script SIGTERM', 'script SIGINT', 'alone SIGHUP'])
})
