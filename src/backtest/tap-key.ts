import { createHash } from 'node:crypto'

/**
 * Signs the ids of options in the world of a backtest. The ids of recorded taps are signed anew with it, so that no
 * recording holds a secret of the app's database, and a bot knows its own options again.
 */
export const TAP_KEY: Uint8Array = createHash('sha256').update('switchhook backtest: taps').digest()
