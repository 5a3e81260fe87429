/** Facts out of undocumented payloads: tolerant, in one place, replaceable by the app, and honest about guesses. */
export { parseBody } from './body.ts'
export { eventNameInside } from './event-name.ts'
export type {
  FactMapping,
  Facts,
  FactValues,
  PayloadAlarm,
  PayloadContext,
  View,
} from './facts.ts'
export { plainName } from './names.ts'
export { readPayload } from './read.ts'
export { type Sample, typesOf } from './types.ts'
