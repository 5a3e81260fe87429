import type { Happening } from '../../../../src/pages/emulator/wire/wire-types.ts'

/** A log of happenings like an emulator's, with growing ids and a time that can be moved. */
export function createLog() {
  let count = 0
  let now = Date.parse('2026-03-04T09:00:00.000Z')
  const all: Happening[] = []
  const add = <Kind extends Happening['kind']>(
    kind: Kind,
    about: Omit<Extract<Happening, { kind: Kind }>, 'id' | 'at' | 'kind'>,
  ): string => {
    const id = `run-${++count}`
    all.push({ ...about, kind, id, at: new Date(now).toISOString() } as unknown as Happening)
    return id
  }
  return {
    add,
    all: (): readonly Happening[] => [...all],
    pass: (ms: number) => {
      now += ms
    },
    now: () => now,
  }
}

export const ASHA = '255712000101'

type Change = Extract<Happening, { kind: 'delivery' }>['delivery']

export function delivery(about: Partial<Change> = {}): { delivery: Change } {
  return {
    delivery: {
      id: '01J0000000000000000000000A',
      event: 'message.received',
      customer: ASHA,
      message: 'msg_1',
      state: 'pending',
      attempts: 0,
      ...about,
    },
  }
}

export function call(about: Partial<Extract<Happening, { kind: 'api' }>> = {}) {
  return {
    call: 'call_1',
    method: 'POST',
    path: '/api/v2/messages',
    status: 200,
    code: null,
    tookMs: 3,
    customer: ASHA,
    ...about,
  }
}
