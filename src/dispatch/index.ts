/** What happens to a delivery after its answer. */
export { checkedSend, slotOf } from './check-send.ts'
export { createDispatcher, type DispatchReport } from './dispatcher.ts'
export { redact } from './redact-error.ts'
export { customerHandle } from './customer-handle.ts'
export { fresh, openSession, type SessionRules } from './session.ts'
