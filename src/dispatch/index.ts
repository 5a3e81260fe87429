/** The way of a delivery from its acceptance to its settlement: ingest, lanes, attempts. */
export { entryOf } from './conversation-input.ts'
export { historyOf } from './history.ts'
export { customerHandle } from './customer-handle.ts'
export { createDispatcher, type DispatchReport, type EndedAttempt } from './dispatcher.ts'
export { createObservation, type Observation } from './observation.ts'
export { redact, redactError } from './failure.ts'
export { createSessionTurns, type SessionChange } from './session-turns.ts'
export { newSession, sessionOf, type SessionRules } from './session.ts'
