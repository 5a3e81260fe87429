import { signal } from '@preact/signals'

/** What was just done, for those who see it and those who hear it. */
export const said = signal('')
