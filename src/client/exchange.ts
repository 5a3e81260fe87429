import { EMULATOR_CLOCK_OFFSET, IDEMPOTENCY_KEY, PHONE_NUMBER_ID } from '../contract/index.ts'
import type { Answer, AnswerHeaders } from './answer.ts'
import type { Attempt, Call } from './call.ts'
import { deadlineAfter } from './deadline.ts'
import { failedExchange } from './no-answer.ts'
import type { Settings } from './options.ts'
import { transportFor } from './pick-transport.ts'
import { wrongProtocolBehind } from './protocol.ts'
import { redactorFor } from './redact.ts'
import type { OutgoingRequest } from './transport.ts'

/** One attempt: asks for the token, sends, reads the answer; all of it within the attempt's time. */
export async function exchange(settings: Settings, call: Call, attempt: Attempt): Promise<Answer> {
  const { timeout } = attempt
  const deadline = deadlineAfter(timeout, call.signal, settings.timers)
  let token: string | undefined
  let redactor: ((text: string) => string) | undefined
  const redact = (text: string) => (redactor ??= redactorFor({ token, body: call.body }))(text)
  try {
    token = await deadline.race(attempt.token)
    const target = `${settings.address}${call.path}${call.query ? `?${call.query}` : ''}`
    const send = transportFor(settings.fetch)
    const answer = await send(target, requestOf(settings, call, token), deadline)
    const fromEmulator = settings.loopback && answer.headers.has(EMULATOR_CLOCK_OFFSET)
    if (fromEmulator) reportOffset(settings, answer.headers)
    // An emulator repeats nothing that it was sent, and its sentences are there to be read.
    return { call, ...answer, redact: fromEmulator ? (own) => own : redact }
  } catch (error) {
    const [endedBy, left] = [deadline.passedBy(), token !== undefined]
    const probes = settings.fetch === undefined && left && endedBy === undefined
    const wrongProtocol = await wrongProtocolBehind(error, { address: settings.address, probes })
    throw failedExchange({ call, timeout, error, redact, endedBy, left, wrongProtocol })
  } finally {
    deadline.close()
  }
}

function requestOf(settings: Settings, call: Call, token: string): OutgoingRequest {
  const { method, body, idempotencyKey, phoneNumberId } = call
  const headers: Record<string, string> = {
    Authorization: `Bearer ${token}`,
    Accept: 'application/json',
    'User-Agent': settings.userAgent,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(idempotencyKey !== undefined && { [IDEMPOTENCY_KEY]: idempotencyKey }),
    ...(phoneNumberId !== undefined && { [PHONE_NUMBER_ID]: phoneNumberId }),
  }
  return { method, headers, body }
}

function reportOffset({ onOffset }: Settings, headers: AnswerHeaders): void {
  const offset = headers.get(EMULATOR_CLOCK_OFFSET)
  if (offset === null || !/^-?\d{1,15}$/.test(offset)) return
  try {
    onOffset(Number(offset))
  } catch {
    // A listener that fails must not make an accepted message look like one without an answer.
  }
}
