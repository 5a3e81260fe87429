const DAY_MS = 24 * 3_600_000

/** How long the dashboard shows what happened, by the emulator's clock (DEL-13). */
export const ATTEMPTS_KEPT_MS = 7 * DAY_MS
export const EVENTS_KEPT_MS = 30 * DAY_MS

/** Whoever keeps something looks for what is too old at each reading, and as often as this where nobody reads. */
export const LOOK_EVERY_MS = 60_000
