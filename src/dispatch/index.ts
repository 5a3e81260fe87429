/** What happens to a delivery after its answer. */
export type {
  Base,
  Env,
  EventContext,
  Message,
  MessageContext,
  MediaFact,
  Payloads,
  Reach,
  ReplyOptions,
  SendOptions,
  StatusContext,
} from './context.ts'
export { createDispatcher, type Dispatcher, type DispatchReport, type DispatchRoom } from './dispatcher.ts'
export type { AttemptLimits } from './failure.ts'
export { registering } from './register.ts'
export { type Handler, type Next, type Routes, RouteTable } from './routes.ts'
export { GiveUp, RetryIn } from './verdict.ts'
