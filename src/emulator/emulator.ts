import { CONTROL_PREFIX, isControlPath } from './control/request.ts'
import { answerControl, guardControl } from './control/control-routes.ts'
import type { Emulator } from './emulator-api.ts'
import { type HttpAnswer, type HttpRequest, refuse } from './http/messages.ts'
import { HOST, listen, type Server } from './http/server.ts'
import { createInProcessApi } from './in-process.ts'
import { firstNumber } from './model/account.ts'
import { type EmulatorOptions, type ResolvedOptions, resolveOptions } from './emulator-options.ts'
import { answerAndRecord, isApiPath } from './service/api.ts'
import { createWorld, type World } from './world.ts'
import { readFile } from 'node:fs/promises'
import { builtPageFile, isPageFile, LOCAL_PAGE_POLICY } from '../base/built-page.ts'
export type { CustomerMedia, EmulatedCustomer, Emulator } from './emulator-api.ts'
export type { EmulatorOptions } from './emulator-options.ts'
export type { AttemptView, DeliveryView } from './deliver/delivery.ts'
export type { Assumptions } from './model/assumptions.ts'
export type { AccountView } from './control/account-control.ts'
export type { AgentView } from './control/customers-control.ts'
export type { EventView, Fired } from './control/deliveries-control.ts'
export type { ShownCode, ThreadItem } from './model/thread.ts'
export type { Moved, Written } from './actors/customer.ts'
export type { Handset } from './model/phones.ts'
export type { KeyView } from './model/keys.ts'

/**
 * Starts the service on this machine: the API under `/api/v2` and the control API under `/_emulator`, both only on
 * 127.0.0.1. Rejects with `options_invalid` or `port_in_use`.
 *
 * ```ts
 * await using emulator = await createEmulator({ webhook: 'http://127.0.0.1:3000/webhooks/messages' })
 * await emulator.customer('255712000101').says('hours')
 * ```
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const resolved = resolveOptions(options)
  const world = createWorld(resolved)
  const server: Server = await listen({
    port: resolved.port,
    answer: (request) => answer(world, resolved, server.port, request),
    clockOffset: () => world.state.clock.offset,
  }).catch((error: unknown) => {
    world.close()
    throw error
  })
  const url = `http://${HOST}:${server.port}`
  world.media.listensAt(url)
  const close = async () => {
    world.close()
    await server.close()
  }
  return {
    url,
    get phoneNumberId() {
      return firstNumber(world.state.account).id
    },
    get accessToken() {
      return firstNumber(world.state.account).token
    },
    get signingSecret() {
      return world.state.subscriptions.list()[0]?.secret ?? resolved.secret
    },
    controlToken: resolved.controlToken,
    ...createInProcessApi(world, resolved.timers),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function answer(
  world: World,
  { controlToken }: ResolvedOptions,
  port: number,
  request: HttpRequest,
): Promise<HttpAnswer> {
  if (isApiPath(request.path)) return answerAndRecord(world.state, request)
  guardControl(request, { port, controlToken })
  if (isControlPath(request.path)) return answerControl(world, request)
  const file = world.media.answer(request) ?? (await pageFile(request))
  if (file) return file
  throw refuse(
    404,
    'not_found',
    `This is an emulator: its page is at /, the API under /api/v2, its control under ${CONTROL_PREFIX}.`,
  )
}

/** The built page. The path is right both in the sources and in the published package. */
const FOLDER = new URL('../../dist/pages/emulator/', import.meta.url)

async function pageFile({ method, path }: HttpRequest): Promise<HttpAnswer | undefined> {
  const name = path === '/' ? 'index.html' : path.slice(1)
  if (!isPageFile(name)) return undefined
  // Tools that wait until the page can be loaded send HEAD.
  if (method !== 'GET' && method !== 'HEAD')
    throw refuse(405, 'method_not_allowed', 'The method must be GET.', { Allow: 'GET, HEAD' })
  const file = await builtPageFile(name, (inside) => readFile(new URL(inside, FOLDER), 'utf8'))
  return file && { status: 200, ...file, headers: { ...file.headers, 'Content-Security-Policy': LOCAL_PAGE_POLICY } }
}
