import type { z } from 'zod'
import type { HttpRequest } from '../http/messages.ts'
import { changeHandset } from '../phone/handset.ts'
import { type Handset, handsetSchema } from '../phone/saved.ts'
import { moveOn, type Moved, statusSchema } from '../phone/statuses.ts'
import type { State } from '../state.ts'
import { recipient } from './customers.ts'
import { readControl } from './request.ts'

export const handsetChangeSchema = handsetSchema.partial()

/** The customer reads or plays; or a message is delivered or fails by hand. */
export function changeStatus(state: State, request: HttpRequest, customer: string): Moved {
  return moveOn(state, state.phones.of(recipient(customer)), readControl(request, statusSchema))
}

export function showHandset(state: State, _: HttpRequest, customer: string): Handset {
  return state.phones.handset(recipient(customer))
}

export function setHandset(state: State, request: HttpRequest, customer: string): Handset {
  return switchHandset(state, recipient(customer), readControl(request, handsetChangeSchema))
}

export function switchHandset(state: State, customer: string, change: z.output<typeof handsetChangeSchema>): Handset {
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  return changeHandset(state, state.phones.of(customer), Object.fromEntries(given))
}
