/** What happens to a delivery after its answer. */
export { checkedSend, slotOf } from './check-send.ts'
export { createDispatcher, type DispatchReport } from './dispatcher.ts'
export { redact } from './impersonal.ts'
export { customerHandle } from './reach.ts'
export { fresh, openSession, type SessionRules } from './session.ts'
