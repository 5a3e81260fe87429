/** Routes as an app registers them: patterns with their handlers, the contexts of handlers, and taps. */
export {
  type Boundary,
  type Candidate,
  compile,
  type CompiledHandler,
  type CompiledRoutes,
  type LayerInfo,
} from './compile.ts'
export type {
  Base,
  Env,
  EventContext,
  FailedSendContext,
  MediaFact,
  Message,
  MessageContext,
  Payloads,
  Reach,
  Said,
  StatusContext,
} from './context.ts'
export { attachTable, type ContextOf, routeMethods, routes } from './register.ts'
export { GiveUp, type Handler, type Next, RetryIn, type RouteOptions, type Routes, type Verdict } from './routes.ts'
export { type Layer, RouteTable } from './table.ts'
export { type Tap, tap, type TapOpener } from './tap.ts'
