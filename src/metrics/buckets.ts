/** Upper bounds of the histograms' buckets. In seconds: what is usual, what is slow, and the limit that matters. */

/** A delivery is given 4 s to be stored. */
export const ACKNOWLEDGEMENT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
export const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
/** A number, not a time; a commit has 256 at most. */
export const COMMIT_OPERATIONS = [1, 2, 4, 8, 16, 32, 64, 128, 256]
/** From "at once" to a night's backlog. */
export const WAIT_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 28_800]
/** An attempt has 30 s by default, beside the time in which it waits for the service. */
export const HANDLER_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
export const SEND_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
