/** What the app writes: patterns with their handlers, and what a handler sees. */
export { type Boundary, type Candidate, compile, type CompiledEventRoute, type CompiledRoutes } from './compile.ts'
export type {
  Base,
  Env,
  EventContext,
  MediaFact,
  Message,
  MessageContext,
  Payloads,
  Reach,
  ReplyOptions,
  SendKey,
  SendOptions,
  StatusContext,
} from './context.ts'
export { bind, registering, routes } from './register.ts'
export type { Handler, Next, Routes } from './routes.ts'
export { type Layer, RouteTable } from './table.ts'
export { type Tap, tap, type TapOpener } from './tap.ts'
export { GiveUp, RetryIn, TooEarly, type Verdict } from './verdict.ts'
