import { createEmulator, type EmulatorOptions } from '../../../src/emulator/emulator.ts'
import { CUSTOMER } from './api.ts'
import { startApp } from './app.ts'
import { manualTime } from './time.ts'

/** An app, an emulator that delivers to it in the first shape, and time that passes only when a test says so. */
export async function openWorld({ assumptions, ...options }: EmulatorOptions = {}) {
  const app = await startApp()
  const time = manualTime()
  const emulator = await createEmulator({
    webhook: app.url,
    assumptions: { payloadShape: 0, ...assumptions },
    internals: time,
    ...options,
  })
  return {
    app,
    time,
    emulator,
    customer: emulator.customer(CUSTOMER),
    async [Symbol.asyncDispose]() {
      await emulator.close()
      await app[Symbol.asyncDispose]()
    },
  }
}
