/** Tests of a bot: a service, a database and a clock of its own, in process. */
export { scenario, type Scenario, type ScenarioOptions } from './scenario.ts'
export { type Customer, HANDSETS, type Turn } from './turn.ts'
export type { Sent, Shown } from './message-view.ts'
export type { Faults } from './service.ts'
export { TurnFailed } from './failures.ts'
export type { ScenarioTemplate } from './recording.ts'
