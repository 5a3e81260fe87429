/** A route with one of these options, at this value, gets its messages alone. */
export { handledAlone as burst } from '../features/bursts/burst-options.ts'
