/** If a route has such an option with this value, its messages are handled alone. */
export { handledAlone as burst } from '../features/bursts/burst-options.ts'
