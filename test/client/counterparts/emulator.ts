import { createEmulator } from '../../../src/emulator/emulator.ts'
import type { Counterpart } from './counterpart.ts'

/** The emulator over HTTP. */
export async function overTheEmulator(): Promise<Counterpart> {
  const emulator = await createEmulator({ seed: 7 })
  return {
    baseUrl: emulator.url,
    token: () => emulator.accessToken,
    async customerWrites(to) {
      await emulator.customer(to).says('Habari')
    },
    aDayPasses: () => emulator.clock.advance('25h'),
    async addTemplate(template) {
      await emulator.templates.add({ ...template })
    },
    faults: (...next) => emulator.faults.set(next.map((fault) => ({ on: 'send', next: 1, ...fault }))),
    async account({ planWithoutApi, ...change }) {
      await emulator.account.set({ ...change, ...(planWithoutApi && { plan: { api: false } }) })
    },
    async secondNumber() {
      const ids = [emulator.phoneNumberId, '109871234500012']
      await emulator.account.set({ numbers: ids.map((id) => ({ id })) })
      return ids
    },
    async validation(form) {
      await emulator.assumptions.set({ validation: form })
    },
    async arrived(to) {
      const thread = await emulator.customer(to).thread()
      return thread.filter(({ direction, refused }) => direction === 'OUTBOUND' && !refused).length
    },
    [Symbol.asyncDispose]: () => emulator[Symbol.asyncDispose](),
  }
}
