import type { IngestRules } from './inbox/read-delivery.ts'
import type { Check } from './option-checks.ts'
import type { CompiledRoutes } from './routes/compile.ts'

/** An option that a built-in feature gives bots. */
export interface BuiltInOption<Given = never> {
  readonly check: Check
  /** Returns how a message is gathered with the next ones of its customer. */
  gathers?(given: Given, routes: Pick<CompiledRoutes, 'isHandledAlone'>): IngestRules['gathers']
}
