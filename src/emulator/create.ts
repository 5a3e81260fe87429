import { recorded } from './service/record-call.ts'
import { admit, type Guard } from './control/guard.ts'
import { CONTROL_PREFIX } from './control/request.ts'
import { answerControl, isControlPath, STATE_PATH } from './control/routes.ts'
import type { Emulator } from './emulator.ts'
import { createHandles } from './in-process-api.ts'
import { BODY_LIMIT_BYTES, SNAPSHOT_LIMIT_BYTES } from './http/read-request.ts'
import { type HttpAnswer, type HttpRequest, refuse } from './http/messages.ts'
import { HOST, listen } from './http/server.ts'
import { type EmulatorOptions, type ResolvedOptions, resolveOptions } from './options.ts'
import { pageFile } from './page-files.ts'
import { firstNumber } from './model/account.ts'
import { answerApi, isApiPath } from './service/api.ts'
import { createWorld, type World } from './world.ts'

/**
 * Starts the service on this machine: the API under `/api/v2`, the control API under `/_emulator`, both on
 * 127.0.0.1 alone. Rejects with `options_invalid`, `port_in_use`, or `store_unavailable` where `data` cannot be used.
 *
 * ```ts
 * await using emulator = await createEmulator({ webhook: 'http://127.0.0.1:3000/webhooks/messages' })
 * await emulator.customer('255712000101').says('hours')
 * ```
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const resolved = resolveOptions(options)
  const world = createWorld(resolved)
  const server = await serve(world, resolved)
  const close = async () => {
    world.close()
    await server.close()
  }
  return {
    url: `http://${HOST}:${server.port}`,
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
    ...createHandles(world, resolved.timers),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function serve(world: World, { port, controlToken, timers }: ResolvedOptions) {
  try {
    const server = await listen({
      port,
      answer: async (request) => {
        try {
          return await answer(request)
        } finally {
          // Before the answer goes out: what was answered is kept.
          world.save()
        }
      },
      clockOffset: () => world.state.clock.offset,
      bodyLimit: (path) => (path === STATE_PATH ? SNAPSHOT_LIMIT_BYTES : BODY_LIMIT_BYTES),
    })
    const guard = (): Guard => ({ port: server.port, controlToken })
    const answer = async (request: HttpRequest): Promise<HttpAnswer> => {
      if (isApiPath(request.path)) return recorded(world, request, (call) => answerApi(world.state, call))
      admit(request, guard())
      if (isControlPath(request.path)) return answerControl({ world, timers }, request)
      const file = await pageFile(request)
      if (file) return file
      throw refuse(
        404,
        'not_found',
        `This is an emulator: its page is at /, the API under /api/v2, its control under ${CONTROL_PREFIX}.`,
      )
    }
    return server
  } catch (error) {
    world.close()
    throw error
  }
}
