/** Tests of a bot with its own service, database and clock, in process. */
export { scenario, type Scenario, type ScenarioOptions } from './scenario.ts'
export type { Customer, Turn } from './turn.ts'
export type { Arrived, Refused, Reply, Sent, Shown } from '../../emulator/recording/message-view.ts'
export type { Faults } from './test-service.ts'
export { TurnFailed } from './failures.ts'
export type { ScenarioTemplate } from '../../emulator/recording/recording.ts'
