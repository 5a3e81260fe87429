import type { Happening } from '../../src/page/wire/happenings.ts'

/** Happenings as an emulator tells them, with ids that grow and a time that can be set. */
export function createTeller(start = '2026-03-04T09:00:00.000Z', mark = 'run') {
  let count = 0
  let now = Date.parse(start)
  const all: Happening[] = []
  const tell = <Kind extends Happening['kind']>(
    kind: Kind,
    about: Omit<Extract<Happening, { kind: Kind }>, 'id' | 'at' | 'kind'>,
  ): string => {
    const id = `${mark}-${++count}`
    all.push({ ...about, kind, id, at: new Date(now).toISOString() } as unknown as Happening)
    return id
  }
  return {
    tell,
    all: (): readonly Happening[] => [...all],
    /** All but the oldest ones. */
    without: (dropped: number): readonly Happening[] => all.slice(dropped),
    pass: (ms: number) => {
      now += ms
    },
    now: () => now,
  }
}

export type Teller = ReturnType<typeof createTeller>

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
