/** What the app writes: patterns with their handlers, and what a handler sees. */
export { type Boundary, type Candidate, compile, type CompiledEventRoute, type CompiledRoutes } from './compile.ts'
export type {
  Base,
  Env,
  EventContext,
  Has,
  MediaFact,
  Message,
  MessageContext,
  Payloads,
  Reach,
  ReplyOptions,
  SendKey,
  SendOptions,
  Sent,
  StatusContext,
} from './context.ts'
export { bind, registering, routes } from './register.ts'
export type { Handler, Mountable, Next, Routes } from './routes.ts'
export { type Layer, RouteTable } from './table.ts'
export { type Seals, type Tap, tap } from './tap.ts'
export { GiveUp, RetryIn, TooEarly, type Verdict } from './verdict.ts'
