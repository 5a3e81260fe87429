import { expect, it } from 'vitest'
import { warnOfNewerSchema } from '../../../src/store/maintenance/maintenance.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Claim } from '../../../src/store/work/lanes.ts'

const CLAIM: Claim = { processName: 'one', limit: 1, now: 0, leaseMs: 1 }

it.each(['claimItems', 'claimSends'] as const)(
  'a newer schema is reported once, whichever call detects it: %s [F-57]',
  async (name) => {
    const nothing = async () => ({ begun: [], nextAt: undefined, newerSchema: 9 })
    const lines: unknown[] = []
    const say = (about: unknown) => void lines.push(about)
    const inner = { claimItems: nothing, claimSends: nothing } as Partial<Store> as Store
    const store = warnOfNewerSchema(inner, { debug: say, info: say, warn: say, error: say })
    await store[name](CLAIM)
    expect(lines).toEqual([{ schema: 9 }])
    await store.claimItems(CLAIM)
    await store.claimSends(CLAIM)
    expect(lines).toEqual([{ schema: 9 }])
  },
)
