/** What happens to a delivery after its answer. */
export { checkedSend, slotOf } from './check-send.ts'
export { createDispatcher, type Dispatcher, type DispatchReport, type DispatchRoom } from './dispatcher.ts'
export type { AttemptLimits } from './failure.ts'
export { impersonal } from './impersonal.ts'
export { reach } from './reach.ts'
export { fresh, openSession, type SessionRules } from './session.ts'
