import { admit } from './control/guard.ts'
import { answerControl, CONTROL_PREFIX, isControlPath } from './control/routes.ts'
import type { Emulator } from './emulator.ts'
import { createHandles } from './handles.ts'
import { type HttpAnswer, type HttpRequest, refuse } from './http/messages.ts'
import { HOST, listen } from './http/server.ts'
import { seededRandom } from './ids.ts'
import { type EmulatorOptions, type ResolvedOptions, resolveOptions } from './options.ts'
import { firstNumber } from './service/account.ts'
import { answerApi, isApiPath } from './service/api.ts'
import { createState, type State } from './state.ts'

/**
 * Starts the service on this machine: the API under `/api/v2`, the control API under `/_emulator`, both on
 * 127.0.0.1 alone. Rejects with `options_invalid` or `port_in_use`.
 *
 * ```ts
 * await using emulator = await createEmulator({ webhook: 'http://127.0.0.1:3000/webhooks/messages' })
 * await emulator.customer('255712000101').says('hours')
 * ```
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const resolved = resolveOptions(options)
  let state = begin(resolved)
  const server = await listen({
    port: resolved.port,
    answer: (request) => answer(state, request, { port: server.port, controlToken: resolved.controlToken }),
    clockOffset: () => state.clock.offset,
  })
  const close = async () => {
    state.close()
    await server.close()
  }
  return {
    url: `http://${HOST}:${server.port}`,
    get phoneNumberId() {
      return firstNumber(state.account).id
    },
    get accessToken() {
      return firstNumber(state.account).token
    },
    signingSecret: resolved.secret,
    controlToken: resolved.controlToken,
    ...createHandles(() => state, resolved.timers),
    async reset() {
      state.close()
      state = begin(resolved)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function begin(options: ResolvedOptions): State {
  const state = createState({ ...options, accessToken: options.token, random: seededRandom(options.seed) })
  if (options.webhook !== undefined) state.subscriptions.register(options.webhook, options.secret)
  return state
}

async function answer(
  state: State,
  request: HttpRequest,
  guard: { port: number; controlToken: string },
): Promise<HttpAnswer> {
  if (isApiPath(request.path)) return answerApi(state, request)
  admit(request, guard)
  if (isControlPath(request.path)) return answerControl(state, request)
  throw refuse(404, 'not_found', `This is an emulator: the API is under /api/v2, its control under ${CONTROL_PREFIX}.`)
}
