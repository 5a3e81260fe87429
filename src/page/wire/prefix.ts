import type { CONTROL_PREFIX } from '../../emulator/control/prefix.ts'

/** Before every path of the control API, in the emulator's own words: the compiler holds them to each other. */
export const CONTROL: `${typeof CONTROL_PREFIX}/` = '/_emulator/'
