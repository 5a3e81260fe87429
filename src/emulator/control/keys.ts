import { z } from 'zod'
import type { HttpRequest } from '../http/messages.ts'
import type { KeyView } from '../service/keys.ts'
import type { State } from '../state.ts'
import { readControl } from './request.ts'

const chosenSchema = z.strictObject({ key: z.string().min(1).optional() })

/** The idempotency keys that the service remembers. */
export function listKeys({ keys }: State): { items: readonly KeyView[] } {
  return { items: keys.list() }
}

/** Settles what a fault holds in flight: one key, or all. */
export function releaseKeys({ keys }: State, request: HttpRequest): { released: number } {
  return { released: keys.release(readControl(request, chosenSchema).key) }
}

/** Lets the service forget what is settled: one key, or all. */
export function forgetKeys({ keys }: State, request: HttpRequest): { forgotten: number } {
  return { forgotten: keys.forget(readControl(request, chosenSchema).key) }
}
