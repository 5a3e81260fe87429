/** What happens to a delivery after its answer. */
export { checkedSend, slotOf } from './check-send.ts'
export { reach } from './reach.ts'
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
  SendKey,
  SendOptions,
  StatusContext,
} from './context.ts'
export { createDispatcher, type Dispatcher, type DispatchReport, type DispatchRoom } from './dispatcher.ts'
export type { AttemptLimits } from './failure.ts'
export { registering } from './register.ts'
export { type Handler, type Next, type Routes, RouteTable } from './routes.ts'
export { GiveUp, RetryIn } from './verdict.ts'
