import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import * as crypto from 'node:crypto'
import { compileFunction } from 'node:vm'
import express from 'express'
import { expect, it, vi } from 'vitest'
import { adminPage } from '../../src/admin/admin.ts'
import { listenOn } from '../bot/inbox/adapters/http.ts'
import { useStage } from './stage.ts'

const at = useStage()
const page = readFileSync(new URL('../../docs/admin.md', import.meta.url), 'utf8')
const SNIPPETS = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = '']) => code)

/** Runs the snippet of the docs that has this word, and says how the page answers these headers. */
async function answers(word: string, given: readonly Record<string, string>[]): Promise<unknown[]> {
  const code = SNIPPETS.find((snippet) => snippet.includes(word)) ?? ''
  const app = express()
  const globals = {
    app,
    adminPage,
    bot: at.bot,
    sessions: new Map([['s1', 'neema']]),
    createHash: crypto.createHash,
    timingSafeEqual: crypto.timingSafeEqual,
  }
  const body = stripTypeScriptTypes(code.replaceAll(/^import .*\n/gm, ''))
  compileFunction(body, Object.keys(globals))(...Object.values(globals))
  const { url } = await listenOn(app)
  return Promise.all(given.map(async (headers) => (await fetch(`${url}/admin/api/state`, { headers })).status))
}

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })

it('the sign-ins in the docs let in the right person, and nobody else', async () => {
  vi.stubEnv('PROXY_SECRET', 'known')
  vi.stubEnv('NEEMA_PASSWORD', 'a:long one')
  expect(await answers('sessions.get', [{ cookie: 'a=b; session=s1' }, { cookie: 'session=s2' }, {}])).toEqual([
    200, 401, 401,
  ])
  const user = { 'x-remote-user': 'neema' }
  const secrets = [{ ...user, 'x-proxy-secret': 'known' }, { ...user, 'x-proxy-secret': 'other' }, user]
  expect(await answers('PROXY_SECRET', secrets)).toEqual([200, 401, 401])
  const passwords = [basic('neema:a:long one'), basic('neema:'), basic('juma:a:long one'), {}]
  expect(await answers('NEEMA_PASSWORD', passwords)).toEqual([200, 401, 401, 401])
  vi.stubEnv('PROXY_SECRET', undefined)
  expect(await answers('PROXY_SECRET', [user, { ...user, 'x-proxy-secret': 'undefined' }])).toEqual([401, 401])
  vi.unstubAllEnvs()
})
