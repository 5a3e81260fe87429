/** Every path of the control API begins with this. */
export const CONTROL_PREFIX = '/_emulator'
