import { signal } from '@preact/signals'
import { read } from '../wire/control.ts'
import type { Happening } from '../wire/types.ts'

/** All that happened, oldest first. */
export const happenings = signal<readonly Happening[]>([])

/** More than this the page does not keep; the emulator keeps no more either. */
const KEPT = 20_000

export async function loadTimeline(): Promise<void> {
  happenings.value = (await read<{ items: readonly Happening[] }>('timeline')).items
}

export function append(more: readonly Happening[]): void {
  const all = [...happenings.peek(), ...more]
  happenings.value = all.length > KEPT ? all.slice(-KEPT) : all
}

/** From where the stream goes on. */
export function lastId(): string {
  return happenings.peek().at(-1)?.id ?? ''
}
