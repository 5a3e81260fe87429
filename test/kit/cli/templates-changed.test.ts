import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { template } from '../../../src/bot/switchhook.ts'
import { ASHA, openWorld } from '../../support/world.ts'
import { switchhook } from './support.ts'

it('a template whose parameters changed after the pull is reported by --check, and refused when it is sent [B SEND-13]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-templates-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await using world = await openWorld((bot) => bot.otherwise(() => {}))
  const { emulator } = world
  const pull = (...more: string[]) => {
    const environment = { SWITCHHOOK_BASE_URL: emulator.url, SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken }
    return switchhook(['templates', 'pull', '--out', 'templates.d.ts', ...more], environment, folder)
  }
  const sent = (key: string, ...body: string[]) =>
    world.bot.to(ASHA).send(template('order_update', 'sw', { body }), { key })

  await emulator.templates.add({ name: 'order_update', language: 'sw', body: 'Oda {{1}}: {{2}}' })
  expect((await pull()).code).toBe(0)
  await emulator.reset()
  await emulator.templates.add({ name: 'order_update', language: 'sw', body: 'Oda {{1}}' })

  expect((await pull('--check')).code).toBe(1)
  await expect(sent('a', '7781', 'tayari')).rejects.toMatchObject({
    code: 'template_unsendable',
    message: expect.stringContaining('needs 1 parameters, but 2 were passed'),
  })
  expect(await world.thread()).toEqual([])
  expect(await sent('b', '7781')).toMatchObject({ via: 'template' })
  expect(await world.replies()).toEqual(['Oda 7781'])
})
