/** Tests of a bot: a service, a database and a clock of its own, in process. */
export { scenario, type Scenario, type ScenarioOptions } from './scenario.ts'
export type { Customer, Turn } from './customer.ts'
export type { Shown } from './shown.ts'
export type { Faults, ScenarioTemplate } from './service.ts'
export { TurnFailed } from './failures.ts'
export { type Expected, turnMatchers, type TurnMatchers } from './matchers.ts'
