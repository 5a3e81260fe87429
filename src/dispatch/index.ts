/** What happens to a delivery after its answer. */
export { checkedSend, slotOf } from './check-send.ts'
export { createDispatcher, type DispatchReport } from './dispatcher.ts'
export { impersonal } from './impersonal.ts'
export { reach } from './reach.ts'
export { fresh, openSession, type SessionRules } from './session.ts'
