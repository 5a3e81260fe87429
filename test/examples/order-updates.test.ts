import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { run } from '../kit/cli/support.ts'

const PLAY = resolve(import.meta.dirname, '../../examples/order-updates/play.ts')

it('the order-updates example notifies three customers, inside the window and outside, and its ledger shows how', async () => {
  await using playing = run(process.execPath, ['--conditions=switchhook-source', PLAY])
  const { code, stdout } = await playing.ended
  expect(code).toBe(0)
  const ledger = stdout.slice(stdout.indexOf('The ledger\n')).split('\n').slice(1, -1)
  expect(ledger.map((line) => line.trim().split(/\s{2,}| (?=\S+$)/))).toEqual([
    ['7781:on its way', 'freeform', 'delivered'],
    ['7782:on its way', 'template', 'delivered'],
    ['7781:ready', 'freeform', 'delivered'],
    ['7781:reminder', 'cancelled'],
    ['7782:ready', 'template', 'delivered'],
    ['7782:reminder', 'stored', 'delivered'],
    ['7783:ready', 'template', 'failed'],
  ])
  expect(stdout).toContain("Juma's phone shows 1 message that")
  const scenes = stdout.trim().split('\n\n')
  expect(scenes.filter((scene) => !scene.includes('\n'))).toEqual([])
  expect(scenes.find((scene) => scene.startsWith('A message that cannot be delivered'))).toMatch(
    /\n {2}255712000103 .*7783:ready is failed$/,
  )
})
