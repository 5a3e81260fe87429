import { afterEach, expect, it, vi } from 'vitest'
import { happenings } from '../../../src/pages/emulator/state/follow.ts'
import { thread } from '../../../src/pages/emulator/state/thread.ts'
import { customer } from '../../../src/pages/emulator/state/view.ts'
import { setControlToken } from '../../../src/pages/emulator/wire/control.ts'
import type { Happening } from '../../../src/pages/emulator/wire/wire-types.ts'

const encoder = new TextEncoder()

/** An emulator whose answers to reads the test chooses; the stream stays open until the test breaks it. */
function stubEmulator() {
  let reads = 0
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined
  vi.stubGlobal('document', { hidden: false, addEventListener: () => undefined })
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw))
  vi.stubGlobal('fetch', async (path: string) => {
    if (path.endsWith('/stream'))
      return new Response(new ReadableStream({ start: (controller) => void (stream = controller) }))
    if (path.endsWith('/timeline')) reads++
    return Response.json({ items: [], rules: [] })
  })
  return {
    breakStream: () => stream?.close(),
    happens: (happening: object) => stream?.enqueue(encoder.encode(`data: ${JSON.stringify(happening)}\n\n`)),
    reads: () => reads,
  }
}

async function freshFollow() {
  vi.resetModules()
  const follow = await import('../../../src/pages/emulator/state/follow.ts')
  const control = await import('../../../src/pages/emulator/wire/control.ts')
  control.setControlToken('of-this-run')
  return { ...follow, ...control }
}

afterEach(() => {
  vi.unstubAllGlobals()
  setControlToken('')
})

it('reads nothing again when the stream reconnects, and counts a repeated happening once', async () => {
  const emulator = stubEmulator()
  const page = await freshFollow()
  await page.follow()
  await expect.poll(() => page.isLive.value).toBe(true)
  const happening = { id: 'a-1', at: '2026-03-04T09:00:00.000Z', kind: 'api' }
  emulator.happens(happening)
  await expect.poll(() => page.happenings.value).toHaveLength(1)
  emulator.breakStream()
  await expect.poll(() => page.isLive.value).toBe(false)
  await expect.poll(() => page.isLive.value).toBe(true)
  emulator.happens(happening)
  emulator.happens({ ...happening, id: 'a-2' })
  await expect.poll(() => page.happenings.value.map(({ id }) => id)).toEqual(['a-1', 'a-2'])
  expect(emulator.reads()).toBe(1)
  emulator.happens({ ...happening, id: 'b-1', kind: 'resync' })
  await expect.poll(emulator.reads).toBe(2)
})

const ASHA = '255712000101'
let count = 0
const item = (id: string, status: string | null = null, of = ASHA) =>
  ({ id: `a-${++count}`, kind: 'thread', customer: of, item: { id, status } }) as Happening

it("the phone shows the selected customer's items since the last reset, each with its last status", () => {
  customer.value = ASHA
  const all = [item('old'), { id: 'a-0', at: '', kind: 'resync' } as const, item('first', 'sent'), item('second')]
  happenings.value = [...all, item('foreign', null, '255712000102'), item('first', 'read')]
  expect(thread.value.map(({ id, status }) => [id, status])).toEqual([
    ['first', 'read'],
    ['second', null],
  ])
  customer.value = '255712000102'
  expect(thread.value.map(({ id }) => id)).toEqual(['foreign'])
})
