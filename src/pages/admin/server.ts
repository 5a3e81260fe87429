import { reasonOf } from '../../base/errors.ts'
import { computed, signal } from '@preact/signals'
import type { Health, Me, State } from '../../admin/api.ts'
import { ask, isSignedOut, posted } from '../ui/ask.ts'
import { notice } from '../ui/components/messages.ts'

export const get = <T>(path: string, signal?: AbortSignal) => ask<T>(path, signal && { signal })
export const post = <T>(path: string, body: unknown) => ask<T>(path, posted(body))

/** Saves the server's answer as a file. */
export async function download(path: string, body: unknown, name: string): Promise<void> {
  const file = await post<Blob>(path, body)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

export const visitor = signal<Me | undefined>(undefined)

export const mayAct = computed(() => visitor.value !== undefined && !visitor.value.readOnly)
export const mayAnnounce = computed(() => visitor.value?.announce === true)
export const mayRetry = computed(() => visitor.value?.retry === true)
export const mayReveal = computed(() => visitor.value?.reveal === true)

export const health = signal<Health | undefined>(undefined)
/** The address of the desk, if the app names it. */
export const desk = signal<string | undefined>(undefined)
export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')

/** Increases whenever something may have changed. Then each view is read again. */
export const version = signal(0)

const POLL_EVERY_MS = 2_000
const LONGEST_ANSWER_MS = 10_000
/** After this many failures in a row, the page shows that it is not live. */
const LOST_AFTER_FAILURES = 3

export async function followState(): Promise<void> {
  let mark = ''
  let failures = 0
  while (!isSignedOut.value) {
    try {
      if (!document.hidden) {
        const state = await get<State>('api/state', AbortSignal.timeout(LONGEST_ANSWER_MS))
        failures = 0
        apply(state)
        if (state.mark !== mark) version.value++
        mark = state.mark
      }
    } catch (error) {
      failures++
      if (failures >= LOST_AFTER_FAILURES) connection.value = 'lost'
      if (health.peek() === undefined) notice.value = reasonOf(error)
    }
    await new Promise((passed) => setTimeout(passed, POLL_EVERY_MS))
  }
}

/** If another person has signed in, the page loads again, so that nothing of the previous person stays. */
function apply({ me, health: now, desk: address }: State): void {
  if (visitor.value !== undefined && visitor.value.who !== me.who) location.reload()
  visitor.value = me
  health.value = now
  desk.value = address
  connection.value = 'live'
}
