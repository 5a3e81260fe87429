import { createServer } from 'node:https'
import { beforeEach, describe, expect, it } from 'vitest'
import { MATRIX } from '../../../src/kit/verify/matrix/matrix.ts'
import { listenOn } from '../../bot/inbox/adapters/http.ts'
import { CERTIFICATE, KEY } from '../../support/certificate.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { plainReceiver, SECRET } from '../verify/receiver.ts'
import { jsonLines, switchhook } from './support.ts'

let folder = ''
beforeEach(() => void (folder = temporaryFolder()))
const verify = (url: URL | string, ...flags: string[]) => switchhook(['verify', String(url), ...flags], {}, folder)

describe('switchhook verify', () => {
  it('prints a line a check, explains how to fix a failure, and exits with 1', async () => {
    const { url } = await plainReceiver({ isFresh: (seconds, now) => now - seconds <= 300 })
    const { code, stdout, stderr } = await verify(url, '--secret', SECRET)
    expect(stdout.split('\n').filter((line) => /^(passed|failed|skipped) /.test(line))).toHaveLength(MATRIX.length)
    expect(stdout).toMatch(/^failed +SIG-05 +time-ahead +a timestamp more than 300 s ahead is refused$/m)
    expect(stdout).toMatch(
      /^ +sent +signed 303 s ahead\n +came +200 .*\n +expected +a 4xx, best 401\n +fix +refuse if/m,
    )
    expect(stderr).toMatch(/^Firing some 150 deliveries to http:\/\/127\.0\.0\.1:\d+\/hook, genuine ones among them/)
    expect(stderr).toMatch(/^\d+ passed, \d+ failed, 0 skipped\.$/m)
    expect(code).toBe(1)
  })

  it('prints with --json one object a line and nothing else on stdout, the score at the end', async () => {
    const { url } = await plainReceiver()
    const { code, stdout, stderr } = await verify(url, '--secret', SECRET, '--json')
    const lines = jsonLines(stdout)
    expect(lines[0]).toMatchObject({ kind: 'check', id: 'genuine', rules: ['SIG-01'], state: 'passed', came: '200' })
    expect(lines.at(-1)).toMatchObject({ kind: 'score', passed: MATRIX.length, failed: 0, skipped: 0 })
    expect([code, stderr]).toEqual([0, ''])
  })

  it('reads secret and prefix from the environment too, and shows the secret nowhere', async () => {
    const { url } = await plainReceiver({
      refusal: (response, _why, right) => void response.status(401).send(`${SECRET} ${right}`),
    })
    const environment = { SWITCHHOOK_SIGNING_SECRET: `${SECRET},old`, SWITCHHOOK_HEADER_PREFIX: 'X-Service-' }
    const args = ['verify', url.href]
    const { code, stdout, stderr } = await switchhook(args, environment, folder)
    expect(code).toBe(1)
    expect(stdout).toContain('[secret]')
    expect(stdout + stderr).not.toContain(SECRET)
  })

  it('reports an untrusted certificate, and how to trust it, if something does answer', async () => {
    const { port } = await listenOn(createServer({ cert: CERTIFICATE, key: KEY }, (_, response) => response.end('{}')))
    const url = `https://127.0.0.1:${port}/hook`
    const { code, stderr } = await verify(url, '--secret', SECRET)
    expect([code, stderr.split('\n')[1]]).toEqual([
      3,
      `switchhook: the certificate of ${url} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT): the service would refuse it too; for a test name it in NODE_EXTRA_CA_CERTS`,
    ])
  })

  it('exits with 4 before anything is fired if the receiver is not this machine, without --yes', async () => {
    const away = 'http://receiver.invalid/hook?token=canary'
    const refused = await verify(away, '--secret', SECRET)
    expect([refused.code, refused.stdout]).toEqual([4, ''])
    expect(refused.stderr).toMatch(
      /^switchhook: this would fire some 150 deliveries to http:\/\/receiver\.invalid\/hook, .* pass --yes if you mean that\n$/,
    )
    const meant = await verify(away, '--secret', SECRET, '--yes', '--json')
    expect(meant.code).toBe(3)
    expect(meant.stderr).toMatch(/^Firing some 150 deliveries/)
    expect(refused.stderr + meant.stderr).not.toContain('canary')
  })
})
