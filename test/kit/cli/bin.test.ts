import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../support/folder.ts'
import { run } from './support.ts'

const bin = fileURLToPath(new URL('../../../bin/switchhook.js', import.meta.url))

/** A Node of this machine that is too old, if there is one. */
const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  const asked = spawnSync(path, ['-p', 'process.versions.napi'], { encoding: 'utf8' })
  return asked.status === 0 && Number(asked.stdout) < 10
})
if (oldNode === undefined)
  process.stderr.write(
    'SKIPPED: no Node below 22.14 on this machine, so what bin/switchhook.js says there was not seen\n',
  )

describe('bin/switchhook.js', () => {
  it.skipIf(oldNode === undefined)(
    'prints on an old Node the found and the needed version in one line, and exits with 1',
    async () => {
      const { code, stdout, stderr } = await run(oldNode ?? '', [bin, '--version']).ended
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(
        /^switchhook: this is Node \d+\.\d+\.\d+; it needs Node >= 22\.14\. Run it as `npm run switchhook -- …` .*\n$/,
      )
    },
  )

  it('hands over to the built command line on a supported Node', async () => {
    expect(await handedOver(process.execPath, ['emulator', '--json'])).toEqual([0, 'emulator --json\n', ''])
  })

  it('prints in a checkout how to build it, in one line, and exits with 1', async () => {
    const said = 'switchhook: this checkout is not built: run `npm run build` in it first\n'
    expect(await handedOver(process.execPath, ['inbox', 'ls'], { isBuilt: false })).toEqual([1, '', said])
  })

  it.skipIf(oldNode === undefined || majorOf(oldNode) < 20)('hands over only `init` on Node 20', async () => {
    expect(await handedOver(oldNode ?? '', ['init', 'my-bot'])).toEqual([0, 'init my-bot\n', ''])
    expect(await handedOver(oldNode ?? '', ['dev', 'init'])).toEqual([1, '', expect.stringContaining('it needs Node')])
  })
})

/** Runs a command line that only tells how it was called, if it is built. */
async function handedOver(node: string, args: readonly string[], { isBuilt = true } = {}) {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'dist/kit/cli'), { recursive: true })
  cpSync(bin, join(folder, 'bin/switchhook.js'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  if (isBuilt) writeFileSync(join(folder, 'dist/kit/cli/main.js'), 'console.log(process.argv.slice(2).join(" "))')
  const { code, stdout, stderr } = await run(node, [join(folder, 'bin/switchhook.js'), ...args]).ended
  return [code, stdout, stderr]
}

function majorOf(node: string): number {
  return Number.parseInt(spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout, 10)
}
