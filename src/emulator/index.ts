/** The whole service on this machine, in process: for tests, and behind `switchhook emulator`. */
export { createEmulator } from './create.ts'
export type { EmulatedCustomer, Emulator } from './emulator.ts'
export type { EmulatorOptions } from './options.ts'
export type { AttemptView, DeliveryView } from './deliver/delivery.ts'
export type { ThreadItem } from './phone/thread.ts'
export type { Written } from './phone/write.ts'
