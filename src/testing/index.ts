/** Tests of a bot: a service, a database and a clock of its own, in process. */
export { scenario, type Scenario, type ScenarioOptions } from './scenario.ts'
export { type Customer, HANDSETS, type Stage, type Turn } from './turn.ts'
export type { Sent, Shown } from './message-view.ts'
export type { Faults } from './service.ts'
export { TurnFailed } from './failures.ts'
export { type Expected, turnMatchers, type TurnMatchers } from './matchers.ts'

/** Conversations as files. */
export { PlayFailed, readPlayFile } from './play/play.ts'
export { playAsTest } from './play/generate-test.ts'
export type { PlayExpected, PlayFile, PlayMedia, PlayStep, ScenarioTemplate } from './play/file.ts'
