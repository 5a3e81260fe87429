/** The options of routes whose messages are handled alone, with the value that says so. */
export { handledAlone as burst } from '../features/bursts/burst-options.ts'
