/** Reads facts out of undocumented payloads: tolerant, replaceable by the app's mapping, and honest about guesses. */
export type {
  FactMapping,
  Facts,
  FactValues,
  PayloadAlarm,
  PayloadContext,
  PayloadReading,
  Shape,
  View,
} from './facts.ts'
export { isFactName } from './facts.ts'
export { type LockedShape, type Sample, typesOf } from './generate-types.ts'
export { parseBody, parseJson } from './json.ts'
export { holdsJsonText } from './locate.ts'
export { type LockedEvent, lockText, LOCK_FILE, parseLock, type PayloadLock } from './lock-file.ts'
export { type EventLock, Lock } from './lock.ts'
export { type Choice, type Doubt, makeLock } from './make-lock.ts'
export { holdsFunction } from './mapping.ts'
export { Observations } from './observations.ts'
export { plainName } from './names.ts'
export { placesOf } from './places.ts'
export { readBody, readingOf } from './read.ts'
export { mayBeData, shapeOf, shapePath, typesAt } from './shape.ts'
export { addCounts, type Received, sightingsIn, type Sightings } from './sightings.ts'
export { type UnheardEvent, unheardIn } from './unheard.ts'
export type { ReadContext } from './view.ts'
export { holdsWords, isKnownWord } from './words.ts'
