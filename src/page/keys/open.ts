import { signal } from '@preact/signals'
import type { Group } from './registry.ts'

/** Whether the list of all shortcuts is shown. */
export const helpIsOpen = signal(false)

/** What the palette offers: everything, or one group; undefined while it is closed. */
export const palette = signal<'all' | Group | undefined>(undefined)
