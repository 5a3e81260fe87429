import { afterEach, describe, expect, it, vi } from 'vitest'
import { type FaultRule, faultRuleSchema } from '../../../src/emulator/model/faults.ts'
import { windowOf } from '../../../src/pages/emulator/state/customer-list.ts'
import { changeRules, faults } from '../../../src/pages/emulator/state/service.ts'
import { DELIVERY_PRESETS, SEND_PRESETS } from '../../../src/pages/emulator/text/fault-words.ts'
import { setControlToken } from '../../../src/pages/emulator/wire/control.ts'

const ASHA = '255712000101'

describe('the window of a customer', () => {
  const at = Date.parse('2026-03-04T09:00:00Z')
  const window = { number: 'one', closesAt: '2026-03-05T09:00:00.000Z' }
  const handset = { online: true, blocked: false }
  const asha = { customer: ASHA, items: 1, last: null, windows: [window], handset }

  it('belongs to the current number: another number has none yet', () => {
    expect(windowOf(asha, 'one', at)).toEqual({ phase: 'open', tone: 'good', leftMs: 24 * 3_600_000 })
    expect(windowOf(asha, 'two', at)).toEqual({ phase: 'never', tone: '', leftMs: 0 })
  })
})

it('faults have presets that the emulator accepts', () => {
  for (const { rule } of [...SEND_PRESETS, ...DELIVERY_PRESETS])
    expect(faultRuleSchema.safeParse({ ...rule, next: 1, to: ASHA }).success).toBe(true)
})

describe('armed faults', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    setControlToken('')
    faults.value = { rules: [] }
  })

  it('are changed one change at a time, so that two changes at once are both kept', async () => {
    let rules: readonly FaultRule[] = []
    let before: Promise<unknown> = Promise.resolve()
    const request = (_: string, run: () => Promise<void>) => (before = before.then(run))
    vi.stubGlobal('navigator', { locks: { request } })
    vi.stubGlobal('fetch', async (_: string, { body }: RequestInit) => {
      if (typeof body === 'string') ({ rules } = JSON.parse(body) as { rules: FaultRule[] })
      return Response.json({ rules })
    })
    setControlToken('of-this-run')
    const [late, stale] = [
      { on: 'delivery', do: 'late' },
      { on: 'delivery', do: 'stale' },
    ] as const
    await Promise.all([late, stale].map((rule) => changeRules((all) => [...all, rule])))
    expect(rules).toEqual([late, stale])
    expect(faults.value.rules).toEqual([late, stale])
  })
})
